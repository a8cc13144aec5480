import type { Levels } from "@/api/shapes";
import type { Mark } from "@/charts/strips";
import type { TimeAxis } from "@/charts/timeAxis";
import { inUnit, type RateUnit, shortLevels } from "@/components/quantities";
import { flagsOf } from "./flags";
import { cellName } from "./reading";
import type { Flag, Matrix, RateKind } from "./shapes";

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
    duration_ns: figures[`${side}_ns`] ?? 0,
  }));
}

/** The cliffs of a trial as marks on its chart. */
export function cliffMarks(flags: readonly Flag[], axis: TimeAxis, unit: RateUnit): Mark[] {
  return flags
    .filter(({ code }) => code === "cliff")
    .map((flag) => ({
      at: (flag.figures.changed_ns ?? 0) / axis.size,
      label: shortLevels(levelsIn(flag), unit),
      sentence: inUnit(flag.evidence, flag.figures, unit),
    }));
}
