/** The words for what a test does to data; null stands for runs of which some write and some read. */
import type { RunSummary } from "@/api/shapes";
import type { Operation, TestOperation } from "./shapes";

type Moved = Operation | null;

const DONE = { write: "written", read: "read" };

/** "written" */
export const doneWord = (operation: Operation): string => DONE[operation];

/** "data written" */
export const dataWords = (operation: Moved): string =>
  operation === null ? "data" : `data ${DONE[operation]}`;

/** "write time" */
export const timeWords = (operation: Moved): string => `${operation ?? "operation"} time`;

export const ROLES = { write: "writer", read: "reader" };

/** "Writes" */
export const directionName = (operation: Operation): string =>
  operation === "read" ? "Reads" : "Writes";

/** The operation that all have, or null. */
export const operationOf = (results: readonly { operation: TestOperation }[]): Moved => {
  const [first, ...others] = results.map(({ operation }) => operation);
  if (first === undefined || first === "both") return null;
  return others.every((one) => one === first) ? first : null;
};

/** What a run does, by its participants' roles. */
export const operationsOfRun = ({
  participants,
}: Pick<RunSummary, "participants">): readonly Operation[] => {
  const operations = participants.map(({ role }) => (role === "reader" ? "read" : "write"));
  return [...new Set(operations)];
};

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
