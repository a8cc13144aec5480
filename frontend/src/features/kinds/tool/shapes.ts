/** The API's types of a tool test. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";

type Schemas = components["schemas"];

export type ToolTest = Schemas["ToolTest"];
export type ToolParameters = Schemas["ToolParameters"];
export type ToolHeadline = Schemas["ToolHeadline"];
export type Tools = Schemas["ToolResult"];
export type ToolCell = Schemas["ToolCell"];
export type ToolTrial = Schemas["ToolTrial"];
export type ToolEnd = Schemas["ToolEnd"];
export type ToolDefinition = Schemas["ToolDefinition"];

export const asTools = (result: Result): Tools => result as unknown as Tools;

/** Two or more runs that move data, by tools or by Assay; the first is compared with each other one. */
export type ToolComparison = Omit<Comparison, "outcome" | "others"> & {
  outcome: Schemas["ToolComparison"] | null;
  others: Schemas["ToolComparison"][];
};
