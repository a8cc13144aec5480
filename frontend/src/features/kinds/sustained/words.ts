/** The words for what a test does to data; null stands for runs of which some write and some read. */
import type { RunSummary } from "@/api/shapes";
import type { Operation, TestOperation } from "./shapes";

type Moved = Operation | null;

const DONE = { write: "written", read: "read", mixed: "read and written" };

/** "written" */
export const doneWord = (operation: Operation): string => DONE[operation];

/** "data written" */
export const dataWords = (operation: Moved): string =>
  operation === null ? "data" : `data ${DONE[operation]}`;

/** "write time" */
export const timeWords = (operation: Moved): string =>
  `${operation === null || operation === "mixed" ? "operation" : operation} time`;

export const ROLES = { write: "writer", read: "reader", mixed: "mixed" };

/** What a participant with a role does. */
export const operationOfRole = (role: string): Operation =>
  OPERATIONS.find((operation) => ROLES[operation] === role) ?? "write";

const OPERATIONS = ["write", "read", "mixed"] as const;

const NAMES = { write: "Writes", read: "Reads", mixed: "Reads and writes" };

/** "Writes" */
export const directionName = (operation: Operation): string => NAMES[operation];

interface Access {
  operation: TestOperation;
  access: "sequential" | "random";
  read_percent: number | null;
}

/** "random read", "random read and write (70 % reads)"; of sequential access the operation alone. */
export function accessWords({ operation, access, read_percent }: Access): string {
  if (operation === "mixed") return `random read and write (${read_percent}\u00a0% reads)`;
  return access === "random" ? `random ${operation}` : operation;
}

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
  const operations = participants.map(({ role }) => operationOfRole(role));
  return [...new Set(operations)];
};

export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
