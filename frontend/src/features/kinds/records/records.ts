/** A records test: the API's types, and the words for record lengths and their rates. */
import type { components } from "@/api/schema";
import type { Comparison, Levels, Result } from "@/api/shapes";
import { formatBlock, formatRecordRate } from "@/components/quantities";

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
export type ComparedRecords = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Records })[];
  outcome: Schemas["RecordsComparison"] | null;
  others: Schemas["RecordsComparison"][];
};

/** The records per second of a length, or of its levels: "30 000 records/s → 7230 records/s". */
export const recordRateWords = (
  perSecond: number | null | undefined,
  levels: Levels | null | undefined,
  recordBytes: number,
): string => {
  if (levels?.length) {
    return levels.map(({ bytes_per_s }) => formatRecordRate(bytes_per_s / recordBytes)).join(" → ");
  }
  return perSecond == null ? "–" : formatRecordRate(perSecond);
};

/** "4 KiB records" */
export const lengthWords = (bytes: number): string => `${formatBlock(bytes)} records`;

/** What each rate includes: one of them can be above the other. */
export const HEADS = {
  window: "Payload in the window",
  durable: "Durable payload, whole trial with final sync",
} as const;
