/** The API's types of a sustained test. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";

type Schemas = components["schemas"];

export type SustainedTest = Schemas["SustainedTest"];
export type SustainedParameters = Schemas["SustainedParameters"];
export type SustainedHeadline = Schemas["SustainedHeadline"];
export type Operation = Schemas["SustainedCell"]["operation"];
export type TestOperation = Schemas["SustainedResult"]["operation"];
export type TrialLevels = Schemas["TrialLevels"];
export type Shaped = Schemas["Shaped"];
export type CarriedRate = Schemas["CarriedRate"];
export type Recovery = Schemas["Recovery"];
export type FrameLosses = Schemas["FrameLosses"];
export type SlowOperation = Schemas["SlowOperation"];
export type LatencyPoint = Schemas["LatencyPoint"];
export type SustainedTrial = Required<Schemas["SustainedTrial"]>;
export type Mode = Required<Schemas["Mode"]>;
export type Contrast = Schemas["Contrast"];
export type CellDirection = Schemas["CellDirection"];
export type TrialDirection = Schemas["TrialDirection"];
export type SustainedCell = Omit<Required<Schemas["SustainedCell"]>, "trials" | "mode"> & {
  trials: SustainedTrial[];
  mode: Mode;
};
export type Sustained = Omit<Schemas["SustainedResult"], "cells" | "access" | "read_percent"> & {
  access: "sequential" | "random";
  read_percent: number | null;
  cells: SustainedCell[];
};

/** The API always sends every field of a trial. */
export const asSustained = (result: Result): Sustained => result as unknown as Sustained;

/** Two or more sustained runs, each against the first. */
export type SustainedComparison = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Sustained })[];
  outcome: Schemas["SustainedComparison"] | null;
  others: Schemas["SustainedComparison"][];
};
