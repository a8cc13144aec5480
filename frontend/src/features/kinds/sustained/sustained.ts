/** A sustained test: the API's types, its directions and modes, and words for what it does. */
import type { components } from "@/api/schema";
import type { Comparison, Result, RunSummary } from "@/api/shapes";
import { formatBlock, formatDuration, formatRate, formatShare } from "@/components/quantities";
import { spanText } from "@/features/parameters/parse";

type Schemas = components["schemas"];

export type SustainedTest = Schemas["SustainedTest"];
type SustainedParameters = Schemas["SustainedParameters"];
export type SustainedHeadline = Schemas["SustainedHeadline"];
export type Operation = Schemas["SustainedCell"]["operation"];
type TestOperation = Schemas["SustainedResult"]["operation"];
export type TrialLevels = Schemas["TrialLevels"];
type Shaped = Schemas["Shaped"];
export type CarriedRate = Schemas["CarriedRate"];
export type Recovery = Schemas["Recovery"];
export type FrameLosses = Schemas["FrameLosses"];
export type SlowOperation = Schemas["SlowOperation"];
export type LatencyPoint = Schemas["LatencyPoint"];
export type SustainedTrial = Required<Schemas["SustainedTrial"]>;
type Mode = Required<Schemas["Mode"]>;
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
export type ComparedSustained = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Sustained })[];
  outcome: Schemas["SustainedComparison"] | null;
  others: Schemas["SustainedComparison"][];
};

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

/** "a steady decline by 40 % of the mean", "a sawtooth of 40 % of the mean every 20 s" */
export function shapeWords({ shape, change, period_ns }: Shaped): string {
  const share = `${formatShare(Math.abs(change))} of the mean`;
  return shape === "sawtooth"
    ? `a sawtooth of ${share} every ${formatDuration((period_ns ?? 0) / 1e9)}`
    : `a steady ${shape} by ${share}`;
}

type Setting = Pick<SustainedParameters, "block"> & {
  rate_bytes_per_s: number | null;
  burst_blocks: number | null;
  idle_ms?: number;
  queue_depth?: number;
} & Partial<Mode>;

/** The words of a cell; reads beside writes may have a pace of their own. */
export const cellWords = (cell: SustainedCell, namesDepth = false): string =>
  trialWords(
    {
      ...cell,
      ...cell.mode,
      ...(cell.paced_apart
        ? { rate_bytes_per_s: cell.offered_bytes_per_s, burst_blocks: null }
        : {}),
    },
    namesDepth,
  );

/** "800 kB blocks at 125 MB/s"; `namesDepth` names a queue depth of 1, too, beside deeper ones. */
export function trialWords(setting: Setting, namesDepth = false): string {
  const { block, rate_bytes_per_s, burst_blocks, idle_ms, queue_depth = 1 } = setting;
  let words = `${formatBlock(block)} blocks`;
  if (queue_depth > 1 || namesDepth) words += `, queue depth ${queue_depth}`;
  if (rate_bytes_per_s) words += ` at ${formatRate(rate_bytes_per_s, "MB/s")}`;
  else if (burst_blocks) words += ` in bursts of ${burst_blocks}`;
  if (idle_ms) words += ` after ${spanText(idle_ms)} of rest`;
  return [words, modeWords(setting)].filter(Boolean).join(", ");
}

const WORDS: { [Name in keyof Mode]: Record<NonNullable<Mode[Name]>, string> } = {
  cache: { page: "page cache", direct: "direct I/O" },
  priority: {
    normal: "normal priority",
    high: "high priority",
    fifo: "SCHED_FIFO",
    rr: "SCHED_RR",
  },
  io_priority: {
    default: "default I/O priority",
    real_time: "real-time I/O priority",
    high: "high I/O priority",
    low: "low I/O priority",
    idle: "idle I/O priority",
  },
};

/** "direct I/O, SCHED_FIFO"; empty where the test compares nothing. */
export function modeWords({ cache, priority, io_priority }: Partial<Mode>): string {
  const words = [
    cache && WORDS.cache[cache],
    priority && WORDS.priority[priority],
    io_priority && WORDS.io_priority[io_priority],
  ];
  return words.filter(Boolean).join(", ");
}

/** The part of a result that is of one direction. */
export type Direction = Omit<Sustained, "operation"> & { operation: Operation };

/** The writes of a result first; a test of one operation has one direction. */
export function directionsOf(result: Sustained): Direction[] {
  const { operation } = result;
  if (operation !== "both") return [{ ...result, operation }];
  return (["write", "read"] as const).map((own) => ({
    ...result,
    operation: own,
    cells: result.cells.filter((cell) => cell.operation === own),
    participants: result.participants.filter(({ role }) => role === ROLES[own]),
  }));
}
