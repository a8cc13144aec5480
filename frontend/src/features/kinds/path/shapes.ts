/** The API's types of a path test. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";

type Schemas = components["schemas"];

export type PathTest = Schemas["PathTest"];
export type PathParameters = Schemas["PathParameters"];
export type PathHeadline = Schemas["PathHeadline"];
export type Path = Schemas["PathResult"];
export type PathLeg = Schemas["PathLeg"];
export type PathSetting = Schemas["PathSetting"];
export type PathTrial = Schemas["PathTrial"];
export type PathPair = NonNullable<PathTrial["pairs"]>[number];
export type PathDirection = NonNullable<PathLeg["directions"]>[number];
export type Placement = Schemas["Placement"];
export type Scorecard = Schemas["Scorecard"];
export type Leg = PathLeg["leg"];

export const asPath = (result: Result): Path => result as unknown as Path;

/** Two or more path runs; the first is compared with each other one. */
export type PathComparison = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Path })[];
  outcome: Schemas["PathComparison"] | null;
  others: Schemas["PathComparison"][];
};
