import type { Levels } from "@/api/shapes";
import type { Mark, TimeAxis } from "@/charts/figure";
import type { Badge } from "@/charts/grid";
import { type RateUnit, wordsText } from "@/components/quantities";
import type { Shape } from "@/components/state/StateBadge";
import { stepMarks } from "@/features/kinds/results";
import {
  cellName,
  type Flag,
  type FlagCode,
  type Matrix,
  type MatrixCell,
  type RateKind,
  type ServedBy,
} from "./matrix";

/** How each flag is shown: a shape, a color and a word. */
export const FLAG_LOOKS: Record<FlagCode, { shape: Shape; color: string; word: string }> = {
  suspended: { shape: "cross", color: "--fail", word: "suspended" },
  starved: { shape: "cross", color: "--fail", word: "starved" },
  contended: { shape: "gap", color: "--lost", word: "contended" },
  too_short: { shape: "diamond", color: "--inconclusive", word: "too short" },
  short_overlap: { shape: "gap", color: "--inconclusive", word: "short overlap" },
  timed_out: { shape: "half", color: "--waived", word: "timed out" },
  cliff: { shape: "slash", color: "--inconclusive", word: "cliff" },
  unstable: { shape: "ring", color: "--inconclusive", word: "unstable" },
};

/** The flags of a cell or trial that affect a rate, the most severe first. */
export const flagsOf = ({ flags }: { flags: readonly Flag[] }, rate: RateKind): Flag[] =>
  flags.filter(({ rates }) => rates.includes(rate));

/** The levels of a cell or a trial with a cliff in this rate; null without one. */
export function levelsOf(of: { flags: readonly Flag[] }, rate: RateKind): Levels | null {
  const cliff = flagsOf(of, rate).find(({ code }) => code === "cliff");
  return cliff?.levels?.length ? cliff.levels : null;
}

/** The cells in which this rate changed permanently during a trial, by name. */
export const cellsWithCliff = (matrix: Matrix, rate: RateKind): string[] =>
  matrix.cells.filter((cell) => levelsOf(cell, rate) !== null).map(cellName);

/** The changes of a trial's level as marks on its chart. */
export const cliffMarks = (flags: readonly Flag[], axis: TimeAxis, unit: RateUnit): Mark[] =>
  flags.flatMap(({ levels }) =>
    stepMarks(levels ?? [], ({ from_ns }) => from_ns / axis.size, unit),
  );

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
export function badgeOf(servedBy: ServedBy | null | undefined, unit: RateUnit): Badge | null {
  if (!servedBy || !isDoubt(servedBy.source)) return null;
  return { ...SOURCES[servedBy.source], reason: wordsText(servedBy.evidence, unit) };
}

/** A badge that explains the sign itself, for the legend. */
export const legendBadge = (doubt: Doubt): Badge => ({ ...SOURCES[doubt], reason: "" });

/** The doubts that occur in these cells, for the legend. */
export function doubtsIn(cells: readonly MatrixCell[], rate: RateKind): Doubt[] {
  return DOUBTS.filter((doubt) => cells.some((cell) => cell.served_by?.[rate]?.source === doubt));
}
