/** The API's types of a records test. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";

type Schemas = components["schemas"];

export type RecordsTest = Schemas["RecordsTest"];
export type RecordsParameters = Schemas["RecordsParameters"];
export type RecordsHeadline = Schemas["RecordsHeadline"];
export type Records = Schemas["RecordsResult"];
export type RecordsCell = Schemas["RecordsCell"];
export type RecordsTrial = Schemas["RecordsTrial"];
export type RecordsSender = Schemas["RecordsSender"];
export type RecordCounts = Schemas["RecordCounts"];

export const asRecords = (result: Result): Records => result as unknown as Records;

/** Two or more records runs; the first is compared with each other one. */
export type RecordsComparison = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Records })[];
  outcome: Schemas["RecordsComparison"] | null;
  others: Schemas["RecordsComparison"][];
};
