/** The ends of a transfer as the launch form has them: a target, or the memory of a host. */
import type { Host, Target } from "@/api/shapes";

export type End = { target_id: number } | { host_id: number };

/** An end and its host. */
export interface KnownEnd {
  host: Host;
  /** Null for memory. */
  target: Target | null;
}

/** Identifies an end in a form. */
export const endKey = (end: End): string =>
  "target_id" in end ? `target-${end.target_id}` : `host-${end.host_id}`;

/** The host and target of an end; null while the lists are not loaded, or if it was deleted. */
export function knownEnd(
  end: End | null,
  hosts: readonly Host[],
  targets: readonly Target[],
): KnownEnd | null {
  if (end === null) return null;
  const target = "target_id" in end ? targets.find(({ id }) => id === end.target_id) : null;
  const hostId = "target_id" in end ? target?.host_id : end.host_id;
  const host = hosts.find(({ id }) => id === hostId);
  return host && target !== undefined ? { host, target } : null;
}
