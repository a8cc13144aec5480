import type { RunSummary } from "@/api/shapes";

/** Where a run measures on its host: the target's directory; a run without a target is of memory. */
export const placeOf = ({ target }: Pick<RunSummary, "target">): string => target?.path ?? "memory";
