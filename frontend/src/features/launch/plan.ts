import { explained } from "@/api/client";
import type { Criterion, Estimate, FieldProblem, Host, Plan, Target, Test } from "@/api/shapes";
import { labelBody, validateLabels } from "@/components/labels/Labels";
import type { KindName } from "@/features/kinds/kind";
import { kindsOf } from "@/features/kinds/registry";
import { type Parameter, readTexts, type Texts } from "@/features/parameters/parameters";
import {
  type Arrangement,
  type EndLimits,
  type Ends,
  fitted,
  pairsOf,
} from "@/features/transfers/ends";

type RunEstimate = Estimate["runs"][number];

/** Each target by itself, all at once, or one, then two, … at once. */
export type Execution = "each" | "together" | "scale_out";

/** The values of the launch form. */
export type Draft = {
  name: string;
  /** The kind that answers the question; null until one is asked. */
  question: KindName | null;
  profileId: number | null;
  /** What proposed the profile and criteria. */
  purpose: string | null;
  /** The numbers of the profile's tests that run, from 1; all of them if it is empty. */
  tests: number[];
  targetIds: number[];
  /** A single target runs by itself. */
  execution: Execution;
  /** Where another host reads files back. */
  readBackTargetId: number | null;
  /** The ends of the profile's transfers, and how several of them run. */
  sources: Ends["sources"];
  sinks: Ends["sinks"];
  arrangement: Arrangement;
  texts: Texts;
  /** In addition to those of the profile. */
  criteria: Criterion[];
  /** One `key=value` per line. */
  labels: string;
  reference: string;
};

/** The criteria with input. */
export const givenCriteria = ({ criteria }: Pick<Draft, "criteria">): Criterion[] =>
  criteria.filter(({ criterion }) => criterion.trim());

/** Return the only target that can be selected, once both lists are loaded; null if there are more. */
export function onlyTarget(targets?: readonly Target[], hosts?: readonly Host[]): number | null {
  const [only, ...others] = targets ?? [];
  if (!only || others.length > 0) return null;
  const isReady = hosts?.some(({ id, state }) => id === only.host_id && state === "ready");
  return isReady ? only.id : null;
}

/** Whether another host is to read files back, by the form or else by the profile's tests. */
export function readsElsewhere(texts: Texts, tests: readonly object[]): boolean {
  const own = texts.read_back?.trim();
  if (own) return own === "other_host";
  return tests.some((test) => "read_back" in test && test.read_back === "other_host");
}

/** What the tests of a profile run on. */
export interface Needs {
  /** Some test measures targets. */
  targets: boolean;
  /** The ends that its transfers may have; null if no test transfers data. */
  ends: EndLimits | null;
}

/** What these tests need; before a question or a profile is selected, targets. */
export function needsOf(tests: readonly { kind: string }[] | null | undefined): Needs {
  const kinds = kindsOf(tests ?? []);
  const limits = kinds.flatMap(({ transfers }) => transfers ?? []);
  const [first, ...others] = limits;
  if (!first) return { ends: null, targets: true };
  // the same ends serve all tests
  const ends = others.reduce(
    (common, one): EndLimits => ({
      severalSources: common.severalSources && one.severalSources,
      severalSinks: common.severalSinks && one.severalSinks,
      arrangements: common.arrangements.filter((name) => one.arrangements.includes(name)),
    }),
    first,
  );
  return { ends, targets: kinds.length > limits.length };
}

/** The ends of a draft that its tests use, and their arrangement. */
export function endsOf(
  { sources, sinks, arrangement }: Draft,
  { ends: limits }: Needs,
): Ends & { arrangement: Arrangement } {
  if (!limits) return { sources: [], sinks: [], arrangement: "together" };
  const offered = limits.arrangements.find((name) => name === arrangement) ?? "together";
  const chosen = fitted({ sources, sinks }, limits);
  // a mesh that is no longer offered has no sinks of its own
  const isLeft = arrangement === "mesh" && offered !== "mesh";
  return { ...chosen, sinks: isLeft ? [] : chosen.sinks, arrangement: offered };
}

/** What must still be selected, or null. */
export function missing(draft: Draft, needs: Needs): string | null {
  if (needs.targets && draft.targetIds.length === 0) return "Select at least one target.";
  if (!needs.ends) return null;
  const { sources, sinks, arrangement } = endsOf(draft, needs);
  if (arrangement === "mesh") {
    return sources.length < 2 ? "Select at least two ends of the mesh." : null;
  }
  if (sources.length === 0) return "Select a source.";
  if (sinks.length === 0) return "Select a sink.";
  if (pairsOf({ sources, sinks }, arrangement)) return null;
  return "Select one source, one sink, or as many sinks as sources.";
}

/** The tests of a profile that run; a link may also have numbers that the profile does not have. */
export function chosenTests<T>({ tests: chosen }: Pick<Draft, "tests">, tests: readonly T[]): T[] {
  const some = tests.filter((_, index) => chosen.includes(index + 1));
  return some.length > 0 ? some : [...tests];
}

/**
 * Return the request for a draft, or null while it is incomplete or invalid. `tests` are those that
 * run, if they are not all of the profile.
 */
export function planOf(
  draft: Draft,
  parameters: readonly Parameter[],
  needs: Needs,
  tests: Test[] | null = null,
): Plan | null {
  const { name, profileId, execution, readBackTargetId, texts } = draft;
  const criteria = givenCriteria(draft);
  const { values, errors } = readTexts(parameters, texts);
  const { labels, reference } = labelBody(draft);
  if (profileId === null || missing(draft, needs) || Object.keys(errors).length > 0) return null;
  if (validateLabels(draft.labels)) return null;
  const targetIds = needs.targets ? draft.targetIds : [];
  const { sources, sinks, arrangement } = endsOf(draft, needs);
  const pairs = pairsOf({ sources, sinks }, arrangement)?.length ?? 0;
  return {
    ...(name.trim() ? { name: name.trim() } : {}),
    profile_id: profileId,
    target_ids: targetIds,
    ...(needs.ends ? { sources, sinks } : {}),
    arrangement: arrangement === "mesh" ? "mesh" : "together",
    together: execution === "together" && targetIds.length > 1,
    scale_out:
      (execution === "scale_out" && targetIds.length > 1) ||
      (arrangement === "scale_out" && pairs > 1),
    ...(readBackTargetId === null ? {} : { read_back_target_id: readBackTargetId }),
    overrides: values,
    ...(tests === null ? {} : { tests }),
    ...(criteria.length > 0 ? { criteria } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(reference === null ? {} : { reference }),
  };
}

/** The server's response to a plan; `current` if it is for the values shown. */
export type Answer = { estimate: Estimate | undefined; refusal: unknown; current: boolean };

/** Say what to do before launching is possible; null if it is possible. */
export function obstacle(
  draft: Draft,
  needs: Needs,
  plan: Plan | null,
  { estimate, refusal, current }: Answer,
): string | null {
  if (draft.profileId === null) return "Select a profile.";
  const unselected = missing(draft, needs);
  if (unselected) return unselected;
  if (plan === null) return "Fix the marked fields.";
  if (current && refusal) return "Fix the errors shown.";
  if (!current || !estimate) return "Waiting for the estimate.";
  if (estimate.problems.length > 0) return "Fix the problems in the estimate.";
  if (!estimate.fits) return "Not enough free space.";
  return null;
}

/** Map the server's problems by field. */
export const fieldsOf = (problems: FieldProblem[]): Record<string, string> =>
  Object.fromEntries(
    problems.map(({ field, message, remedy }) => [field, explained(message, remedy)]),
  );

/**
 * Return the flash wear of a plan in drive writes: bytes written to all targets of a drive, also on
 * several of its partitions, per byte of its size, for the most written drive. Null when no flash
 * drive of known size is written.
 */
export function driveWrites(estimate: Estimate, targets: Target[]): number | null {
  const worn = new Map<string, number>();
  for (const { id, host_id, device, device_info } of targets) {
    if (!device || device_info.rotational !== false || !device_info.size_bytes) continue;
    const runs = estimate.runs.filter((run) => run.target_id === id);
    const drive = `${host_id} ${runs[0]?.devices.join(" ") || device}`;
    const bytes = runs.reduce((sum, run) => sum + run.bytes_written, 0);
    worn.set(drive, (worn.get(drive) ?? 0) + bytes / device_info.size_bytes);
  }
  const most = Math.max(0, ...worn.values());
  return most > 0 ? most : null;
}

/** Name the phases that an estimate's duration excludes, because they have no limit. */
export function unbounded({ runs }: Estimate): string {
  const isPrepared = runs.some(({ prepared_bytes }) => prepared_bytes > 0);
  const isSynced = runs.some((run) => run.bytes_written > run.prepared_bytes);
  return [isPrepared && "preparation", isSynced && "final syncs"].filter(Boolean).join(" and ");
}

/** Return the run that leaves the least free space on a target; undefined if none is planned. */
export const tightest = (estimate: Estimate, targetId: number): RunEstimate | undefined =>
  estimate.runs
    .filter((run) => run.target_id === targetId)
    .sort((one, other) => (one.free_after_bytes ?? 0) - (other.free_after_bytes ?? 0))[0];
