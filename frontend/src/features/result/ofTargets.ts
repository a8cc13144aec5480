import type { Run } from "@/api/shapes";

/** The values of several participants without those that the memory of a host does not have. */
export function ofTargets({ participants }: Pick<Run, "participants">, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const known = value.filter((one, index) => one !== null || participants[index]?.target !== null);
  return known.length > 0 ? known : null;
}
