/** The words for what a test does to data; null stands for runs of which some write and some read. */
import type { RunSummary } from "@/api/shapes";
import type { Operation } from "./shapes";

type Moved = Operation | null;

const DONE = { write: "written", read: "read" };

/** "written" */
export const doneWord = (operation: Operation): string => DONE[operation];

/** "data written" */
export const dataWords = (operation: Moved): string =>
  operation === null ? "data" : `data ${DONE[operation]}`;

/** "write time" */
export const timeWords = (operation: Moved): string => `${operation ?? "operation"} time`;

/** The operation that all have, or null. */
export const operationOf = (results: readonly { operation: Operation }[]): Moved => {
  const [first, ...others] = results.map(({ operation }) => operation);
  return first !== undefined && others.every((one) => one === first) ? first : null;
};

/** What a run does, by its participants' role. */
export const operationOfRun = ({ participants }: Pick<RunSummary, "participants">): Operation =>
  participants[0]?.role === "reader" ? "read" : "write";

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
