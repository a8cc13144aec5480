/** A path test: the API's types, words for its legs and settings, and the input of its fields. */
import type { components } from "@/api/schema";
import type { Comparison, Result } from "@/api/shapes";
import { figure, formatBlock } from "@/components/quantities";
import type { ValueFormat } from "@/features/parameters/formats";
import type { Parsed } from "@/features/parameters/parse";

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
type Leg = PathLeg["leg"];

export const asPath = (result: Result): Path => result as unknown as Path;

/** Two or more path runs; the first is compared with each other one. */
export type ComparedPaths = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Path })[];
  outcome: Schemas["PathComparison"] | null;
  others: Schemas["PathComparison"][];
};

interface LegWords {
  /** Its name in a list of parameters. */
  name: string;
  /** Its name with its ends. */
  title: string;
  /** What it measures, in full. */
  what: string;
}

/** In the order of display. */
export const LEGS: Readonly<Record<Leg, LegWords>> = {
  read: { name: "read", title: "Read", what: "source disk → memory" },
  memory: {
    name: "memory",
    title: "Memory to memory",
    what: "memory → network → memory",
  },
  write: { name: "write", title: "Write", what: "memory → sink disk" },
  disk: { name: "disk", title: "Disk to disk", what: "source disk → network → sink disk" },
  disk_to_memory: {
    name: "disk to memory",
    title: "Disk to memory",
    what: "source disk → network → memory",
  },
  memory_to_disk: {
    name: "memory to disk",
    title: "Memory to disk",
    what: "memory → network → sink disk",
  },
};

/** Every leg, in the order of display. */
export const EVERY_LEG = Object.keys(LEGS) as Leg[];

/** Whether data passes the network in a leg. */
export const isTransfer = (leg: Leg): boolean => leg !== "read" && leg !== "write";

/** Whether a leg reads the source's disk. */
export const readsDisk = (leg: Leg): boolean =>
  leg === "read" || leg === "disk" || leg === "disk_to_memory";

/** Whether a leg writes the sink's disk. */
export const writesDisk = (leg: Leg): boolean =>
  leg === "write" || leg === "disk" || leg === "memory_to_disk";

/** "1.96 TB/h" */
export const hourlyText = (tbPerHour: number): string => `${figure(tbPerHour)}\u00a0TB/h`;

/** "4 streams, 1 MiB blocks"; of several pairs each has these streams: "4 streams per pair, …". */
export function settingWords(
  { block, streams }: { block: number; streams: number | null },
  isJoint = false,
): string {
  const blocks = `${formatBlock(block)} blocks`;
  if (!streams) return blocks;
  const count = streams === 1 ? "1 stream" : `${streams} streams`;
  return `${count}${isJoint ? " per pair" : ""}, ${blocks}`;
}

/** "Disk to disk, 4 streams, 1 MiB blocks" */
export const trialWords = (
  trial: { leg: Leg; block: number; streams: number | null },
  isJoint = false,
): string => `${LEGS[trial.leg].title}, ${settingWords(trial, isJoint)}`;

/** A list of legs: "read, memory, write, disk". */
export function parseLegs(text: string): Parsed<Leg[]> {
  const entries = text
    .split(/[,;]/)
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
  if (entries.length === 0) return { error: "Enter at least one leg, such as disk." };
  const legs: Leg[] = [];
  for (const entry of entries) {
    const leg = EVERY_LEG.find((one) => one === entry || LEGS[one].name === entry);
    if (!leg) return { error: `${entry} is not one of ${legsText(EVERY_LEG)}.` };
    if (legs.includes(leg)) return { error: `${entry} appears more than once.` };
    legs.push(leg);
  }
  return { value: legs };
}

/** Legs as text that `parseLegs` reads back. */
export const legsText = (legs: readonly Leg[]): string =>
  legs.map((leg) => LEGS[leg].name).join(", ");

/** What each leg moves from where to where; null where the text is no list of legs. */
export function understoodLegs(text: string): string | null {
  const parsed = parseLegs(text);
  if ("error" in parsed) return null;
  return parsed.value.map((leg) => `${LEGS[leg].title}: ${LEGS[leg].what}`).join("; ");
}

/** Legs in the field of a form. */
export const LEGS_FORMAT: ValueFormat = {
  text: (legs) => legsText((legs ?? []) as Leg[]),
  parse: parseLegs,
  understood: understoodLegs,
};
