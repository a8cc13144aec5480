/** The words for the legs of a path. */
import type { Leg } from "./shapes";

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
