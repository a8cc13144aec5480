import type { Mark, MatrixCell, RateKind } from "@/api/shapes";
import type { Badge } from "@/charts/grid";

/** How each doubt about a value is shown: a letter, a shape and a word, never colour alone. */
const KINDS = {
  cache: { letter: "C", shape: "square", word: "served by the page cache" },
  array: { letter: "A", shape: "diamond", word: "possibly served by the array's cache" },
  unprovable: { letter: "?", shape: "circle", word: "not provable" },
} as const;

export type Doubt = keyof typeof KINDS;

const DOUBTS = Object.keys(KINDS) as Doubt[];

const isDoubt = (mark: Mark["mark"]): mark is Doubt => mark in KINDS;

export function badgeOf(mark: Mark | null | undefined): Badge | null {
  if (!mark || !isDoubt(mark.mark)) return null;
  return { ...KINDS[mark.mark], reason: mark.evidence };
}

/** A badge that explains the sign itself, for the legend. */
export const legendBadge = (doubt: Doubt): Badge => ({ ...KINDS[doubt], reason: "" });

/** Which doubts occur in these cells, for the legend. */
export function doubtsIn(cells: readonly MatrixCell[], rate: RateKind): Doubt[] {
  return DOUBTS.filter((doubt) => cells.some((cell) => cell.marks?.[rate]?.mark === doubt));
}
