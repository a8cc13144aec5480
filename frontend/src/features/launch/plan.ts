import { explained } from "@/api/problem";
import type { Estimate, FieldProblem, Plan, Target } from "@/api/shapes";
import { readTexts, type Texts } from "@/features/parameters/parameters";

type RunEstimate = Estimate["runs"][number];

/** What the launch form holds. */
export type Draft = {
  name: string;
  profileId: number | null;
  targetIds: number[];
  texts: Texts;
};

/** The request of a draft, or null while something essential is missing or cannot be read. */
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

/** What the server says of a plan; `current` when that is the plan on the screen. */
export type Answer = { estimate: Estimate | undefined; refusal: unknown; current: boolean };

/** What keeps the button shut, in the words of what to do; null when nothing does. */
export function obstacle(draft: Draft, { estimate, refusal, current }: Answer): string | null {
  if (draft.profileId === null) return "Select a profile.";
  if (draft.targetIds.length === 0) return "Select at least one target.";
  if (planOf(draft) === null) return "Fix the marked fields.";
  if (current && refusal) return "Fix the errors shown.";
  if (!current || !estimate) return "Waiting for the estimate.";
  if (estimate.problems.length > 0) return "Fix the problems in the estimate.";
  if (!estimate.fits) return "Not enough free space.";
  return null;
}

/** The server's remarks by field. */
export const fieldsOf = (problems: FieldProblem[]): Record<string, string> =>
  Object.fromEntries(
    problems.map(({ field, message, remedy }) => [field, explained(message, remedy)]),
  );

/**
 * How often the plan writes a flash drive over: bytes written to all its targets per byte of the
 * drive, for the drive that is written most. Null when there is none whose size is known.
 */
export function driveWrites(estimate: Estimate, targets: Target[]): number | null {
  const worn = new Map<string, number>();
  for (const { id, host_id, device, device_info } of targets) {
    if (!device || device_info.rotational !== false || !device_info.size_bytes) continue;
    const drive = `${host_id} ${device}`;
    const bytes = estimate.runs
      .filter((run) => run.target_id === id)
      .reduce((sum, run) => sum + run.bytes_written, 0);
    worn.set(drive, (worn.get(drive) ?? 0) + bytes / device_info.size_bytes);
  }
  const most = Math.max(0, ...worn.values());
  return most > 0 ? most : null;
}

/** What may take longer than an estimate's times say, because nothing bounds it there. */
export function unbounded({ runs }: Estimate): string {
  const isPrepared = runs.some(({ prepared_bytes }) => prepared_bytes > 0);
  const isSynced = runs.some(({ kind }) => kind === "write");
  return [isPrepared && "preparation", isSynced && "final syncs"].filter(Boolean).join(" and ");
}

/** The run that leaves the least space free on a target; undefined where none was planned. */
export const tightest = (estimate: Estimate, targetId: number): RunEstimate | undefined =>
  estimate.runs
    .filter((run) => run.target_id === targetId)
    .sort((one, other) => one.free_after_bytes - other.free_after_bytes)[0];
