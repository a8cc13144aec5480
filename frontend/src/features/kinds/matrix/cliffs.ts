import type { Levels } from "@/api/shapes";
import type { Mark } from "@/charts/figure";
import type { TimeAxis } from "@/charts/timeAxis";
import type { RateUnit } from "@/components/quantities";
import { stepMarks } from "@/features/kinds/stepMarks";
import { flagsOf } from "./flags";
import { cellName } from "./reading";
import type { Flag, Matrix, RateKind } from "./shapes";

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
