/** The ends of transfers as the launch form has them: a target, or the memory of a host. */
import type { Host, Target } from "@/api/shapes";

export type End = { target_id: number } | { host_id: number };

/** The ends that a form has selected, in the order of selection; a mesh has its ends at both sides. */
export interface Ends {
  sources: End[];
  sinks: End[];
}

/** An end and its host. */
export interface KnownEnd {
  host: Host;
  /** Null for memory. */
  target: Target | null;
}

/**
 * How transfers between several ends run: all at once; the first pair, then two, … ; or each end to
 * each other one, a host in one pair at a time.
 */
export type Arrangement = "together" | "scale_out" | "mesh";

/** Which ends a launch can have. */
export interface EndLimits {
  /** Several sources may send at once. */
  severalSources: boolean;
  /** Several sinks may receive at once. */
  severalSinks: boolean;
  /** Its transfers can run in each of these arrangements. */
  arrangements: readonly Arrangement[];
}

/** Identifies an end in a form. */
export const endKey = (end: End): string =>
  "target_id" in end ? `target-${end.target_id}` : `host-${end.host_id}`;

/** The host and target of an end; null while the lists are not loaded, or if it was deleted. */
export function knownEnd(
  end: End,
  hosts: readonly Host[],
  targets: readonly Target[],
): KnownEnd | null {
  const target = "target_id" in end ? targets.find(({ id }) => id === end.target_id) : null;
  const hostId = "target_id" in end ? target?.host_id : end.host_id;
  const host = hosts.find(({ id }) => id === hostId);
  return host && target !== undefined ? { host, target } : null;
}

/** From which source to which sink, by their indices. */
export type Pair = readonly [source: number, sink: number];

/**
 * The pairs that run: every source to the only sink, the only source to every sink, or each source to
 * the sink at the same position; in a mesh, each end to each other. Null if the numbers do not match.
 */
export function pairsOf({ sources, sinks }: Ends, arrangement: Arrangement): Pair[] | null {
  const all = sources.flatMap((_, from) => sinks.map((_, to): Pair => [from, to]));
  if (arrangement === "mesh") return all.filter(([from, to]) => from !== to);
  if (sources.length <= 1 || sinks.length <= 1) return all;
  return sources.length === sinks.length ? all.filter(([from, to]) => from === to) : null;
}

/** The ends that fit other limits: the first of those that are too many. */
export const fitted = ({ sources, sinks }: Ends, limits: EndLimits): Ends => ({
  sources: limits.severalSources ? sources : sources.slice(0, 1),
  sinks: limits.severalSinks ? sinks : sinks.slice(0, 1),
});
