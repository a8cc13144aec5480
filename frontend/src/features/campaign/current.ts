import type { RunSummary } from "@/api/shapes";

/** The trial that a run is at. */
export type Current = NonNullable<RunSummary["current"]>;

/** Whether all bytes of the trial have been written or read. */
export const hasMoved = ({ bytes, total_bytes }: Current): boolean =>
  total_bytes !== null && bytes >= total_bytes;

/** Whether the trial only waits for its final sync: no byte moves then, and no rate is due. */
export const isSyncing = ({ kind, current }: Pick<RunSummary, "kind" | "current">): boolean =>
  kind === "write" && current !== null && hasMoved(current);
