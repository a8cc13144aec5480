/** The API's types of a matrix. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";

type Schemas = components["schemas"];

export type MatrixTest = Schemas["MatrixTest"];
export type ResolvedMatrix = Schemas["ResolvedMatrix"];
export type Operation = MatrixTest["operation"];
export type MatrixParameters = Schemas["MatrixParameters"];
export type MatrixHeadline = Schemas["MatrixHeadline"];

export type MatrixAnswer = Schemas["MatrixAnswer"];
export type Advice = Schemas["Advice"];
/** The levels of a cell with a cliff. */
export type CellLevels = Schemas["CellLevels"];

export type Stat = Schemas["Stat"];
export type ServedBy = Schemas["ServedBy"];
export type Flag = Schemas["Flag"];
export type FlagCode = Flag["code"];
export type RateKind = Schemas["MatrixResult"]["rates"][number];
export type MatrixCell = Omit<Schemas["Cell"], "trials"> & { trials: Schemas["TrialFigures"][] };
export type Matrix = Omit<Schemas["MatrixResult"], "cells"> & { cells: MatrixCell[] };

/** The API leaves a cell's trials out only where it is asked to. */
export const asMatrix = (result: Result): Matrix => result as Matrix;

/** Two or more matrices, and how the first compares with each other one. */
export type MatrixComparison = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Matrix })[];
  outcome: Schemas["MatrixComparison"] | null;
  others: Schemas["MatrixComparison"][];
};
