import type { Estimate, FieldProblem, Plan, Target } from "@/api/shapes";
import { readTexts, type Texts } from "@/features/parameters/parameters";

/** What the launch form holds. */
export type Draft = {
  name: string;
  profileId: number | null;
  targetIds: number[];
  texts: Texts;
};

/** The request of a draft, or null while something essential is missing or can not be read. */
export function planOf({ name, profileId, targetIds, texts }: Draft): Plan | null {
  const { values, errors } = readTexts(texts);
  if (profileId === null || targetIds.length === 0 || Object.keys(errors).length > 0) return null;
  return {
    ...(name.trim() ? { name: name.trim() } : {}),
    profile_id: profileId,
    target_ids: targetIds,
    overrides: values,
  };
}

/** What keeps the button shut, in the words of what to do; null when nothing does. */
export function obstacle(draft: Draft, estimate: Estimate | undefined): string | null {
  if (draft.profileId === null) return "Choose a profile.";
  if (draft.targetIds.length === 0) return "Choose at least one target.";
  if (planOf(draft) === null) return "Correct the marked fields.";
  if (!estimate) return "Waiting for the estimate.";
  if (estimate.problems.length > 0) return "Correct what the estimate names.";
  if (!estimate.fits) return "It does not fit.";
  return null;
}

/** The server's remarks by field. */
export const fieldsOf = (problems: FieldProblem[]): Record<string, string> =>
  Object.fromEntries(
    problems.map(({ field, message, remedy }) => [
      field,
      remedy ? `${message}. ${remedy}` : message,
    ]),
  );

/**
 * How often the plan writes a flash medium over, by target: bytes written per byte of its file
 * system. Null for media that do not wear that way or are not known.
 */
export function driveWrites(estimate: Estimate, targets: Target[]): number | null {
  const worn = targets.map(({ id, device_info, size_bytes }) => {
    if (device_info?.rotational !== false || !size_bytes) return 0;
    const bytes = estimate.runs
      .filter((run) => run.target_id === id)
      .reduce((sum, run) => sum + run.bytes_written, 0);
    return bytes / size_bytes;
  });
  const most = Math.max(0, ...worn);
  return most > 0 ? most : null;
}

/** The least space that the campaign leaves free on a target; null when it is not known. */
export function leastFree(estimate: Estimate, targetId: number): number | null {
  const known = estimate.runs
    .filter((run) => run.target_id === targetId)
    .map((run) => run.free_after_bytes)
    .filter((bytes): bytes is number => bytes !== null);
  return known.length > 0 ? Math.min(...known) : null;
}
