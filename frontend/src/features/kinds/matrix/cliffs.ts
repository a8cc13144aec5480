import type { Flag, Matrix, RateKind } from "@/api/shapes";
import type { Mark } from "@/charts/strips";
import type { TimeAxis } from "@/charts/timeAxis";
import { formatDuration, formatRate, type RateUnit } from "@/components/quantities";
import { flagsOf } from "./flags";
import { cellName } from "./reading";

/** The levels on either side of a cliff, in their order. */
export type Levels = NonNullable<Matrix["headline_levels"]>;

/** Both levels of a cell or a trial with a cliff in this rate; null without one. */
export function levelsOf(of: { flags: readonly Flag[] }, rate: RateKind): Levels | null {
  const cliff = flagsOf(of, rate).find(({ code }) => code === "cliff");
  return cliff ? levelsIn(cliff) : null;
}

/** The cells in which this rate changed permanently during a trial, by name. */
export const cellsWithCliff = (matrix: Matrix, rate: RateKind): string[] =>
  matrix.cells.filter((cell) => levelsOf(cell, rate) !== null).map(cellName);

function levelsIn({ figures }: Flag): Levels {
  return ["before", "after"].map((side) => ({
    bytes_per_s: figures[`${side}_bytes_per_s`] ?? 0,
    ns: figures[`${side}_ns`] ?? 0,
  }));
}

/** "350 MB/s for 12.3 s, then 41.0 MB/s" */
export function levelsWords(levels: Levels, unit: RateUnit): string {
  return levels
    .map(({ bytes_per_s, ns }, index) => {
      const rate = formatRate(bytes_per_s, unit);
      return index < levels.length - 1 ? `${rate} for ${formatDuration(ns / 1e9)}` : rate;
    })
    .join(", then ");
}

/** "350 MB/s → 41.0 MB/s", where there is little room. */
export const shortLevels = (levels: Levels, unit: RateUnit): string =>
  levels.map(({ bytes_per_s }) => formatRate(bytes_per_s, unit)).join(" → ");

/** The cliffs of a trial as marks on its chart. */
export function cliffMarks(flags: readonly Flag[], axis: TimeAxis, unit: RateUnit): Mark[] {
  return flags
    .filter(({ code }) => code === "cliff")
    .map((flag) => ({
      at: (flag.figures.changed_ns ?? 0) / axis.size,
      label: shortLevels(levelsIn(flag), unit),
      sentence: flag.evidence,
    }));
}
