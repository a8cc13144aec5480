import type { Badge } from "@/charts/grid";
import type { MatrixCell, RateKind, ServedBy } from "./shapes";

/** How each source other than the device is shown: a letter, a shape and a word, never color alone. */
const SOURCES = {
  page_cache: { letter: "C", shape: "square", word: "served by the page cache" },
  array_cache: { letter: "A", shape: "diamond", word: "possibly served by the array cache" },
  unknown: { letter: "?", shape: "circle", word: "served by unknown source" },
} as const;

/** A source that is not the device. */
export type Doubt = keyof typeof SOURCES;

const DOUBTS = Object.keys(SOURCES) as Doubt[];

const isDoubt = (source: ServedBy["source"]): source is Doubt => source in SOURCES;

/** The badge of a rate that the device did not provably serve; null where it did. */
export function badgeOf(servedBy: ServedBy | null | undefined): Badge | null {
  if (!servedBy || !isDoubt(servedBy.source)) return null;
  return { ...SOURCES[servedBy.source], reason: servedBy.evidence };
}

/** A badge that explains the sign itself, for the legend. */
export const legendBadge = (doubt: Doubt): Badge => ({ ...SOURCES[doubt], reason: "" });

/** The doubts that occur in these cells, for the legend. */
export function doubtsIn(cells: readonly MatrixCell[], rate: RateKind): Doubt[] {
  return DOUBTS.filter((doubt) => cells.some((cell) => cell.served_by?.[rate]?.source === doubt));
}
