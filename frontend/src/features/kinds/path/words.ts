/** The words for the legs of a path, and for what limits it. */
import type { Leg, Limit } from "./shapes";

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

const LIMITS: Readonly<Record<Limit, string>> = {
  source_disk: "the source's disk",
  sink_disk: "the sink's disk",
  shared_disk: "the disk that source and sink share",
  source_card: "the source's network card",
  sink_card: "the sink's network card",
  link: "the link",
  loss: "packet loss",
  receive_buffer: "the receiver's socket buffer",
  send_buffer: "the sender's socket buffer",
  pacing: "the pacing of the test",
  sender_cpu: "the sender's CPU",
  receiver_cpu: "the receiver's CPU",
  network: "the network",
  undetermined: "undetermined",
};

const listed = (words: readonly string[], type: "conjunction" | "disjunction"): string =>
  new Intl.ListFormat("en", { type }).format(words);

/** "limited by the sink's disk"; what cannot be told apart is undetermined, and listed. */
export function limitWords(limit: Limit, others: readonly Limit[]): string {
  const names = others.map((one) => LIMITS[one]);
  if (limit !== "undetermined") {
    return `limited by ${listed([LIMITS[limit], ...names], "conjunction")}`;
  }
  return names.length > 0
    ? `limit undetermined: ${listed(names, "disjunction")}`
    : "limit undetermined";
}
