/** The parameters of a path test. */
import { BOUNDS } from "@/api/bounds";
import type { RunParameters } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";
import {
  AUTOMATIC,
  addressOf,
  autoSizeText,
  CONGESTION_CONTROL,
  FAMILY,
  LAST_PORT,
  parseAutoRate,
  parseAutoSize,
  portOf,
  SOCKET_BUFFERS,
} from "@/features/parameters/connection";
import type { Parameter, ParameterGroup } from "@/features/parameters/parameters";
import {
  blocksText,
  fileSizeText,
  fromTo,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
  parseSize,
  parseSpan,
  spanText,
  understoodBlocks,
  understoodFileSize,
} from "@/features/parameters/parse";
import { ratesText } from "@/features/parameters/rates";
import {
  CACHE,
  choice,
  ORDER,
  REPEATS,
  SAMPLING_INTERVAL,
  SYNC_LIMIT,
  TIME_LIMIT,
} from "@/features/parameters/shared";
import { legsText, parseCpus, parseLegs, understoodLegs } from "./parse";
import type { PathTest } from "./shapes";

/** The CPUs of the threads that move data at an end. */
const cpusOf = <Side extends "source" | "sink">(
  side: Side,
): Parameter<{ [Name in `${Side}_cpus`]?: string | null }> => ({
  name: `${side}_cpus`,
  label: `CPUs of the ${side}`,
  help: "Such as 0-3,8, node:0 for a NUMA node, or card for those local to the network card; auto leaves the choice to the kernel.",
  text: (test) => test[`${side}_cpus`] ?? AUTOMATIC,
  parse: parseCpus,
});

export const GROUPS: ParameterGroup<PathTest>[] = [
  {
    title: "Legs and length",
    parameters: [
      {
        name: "legs",
        label: "Legs",
        help: "Of read, memory, write, disk, disk to memory, memory to disk. The first four together name the bottleneck.",
        wide: true,
        text: ({ legs }) => legsText(legs ?? []),
        parse: parseLegs,
        understood: understoodLegs,
      },
      {
        name: "length",
        label: "Length",
        help: "Data of each trial that uses a disk, such as 10 GB or 2 * ram.",
        text: ({ length }) => fileSizeText(length),
        parse: parseFileSize,
        understood: understoodFileSize,
        measured: measuredLength,
      },
      {
        name: "small_files",
        label: "Small files",
        help: `Files beside the large ones in each trial that uses a disk, ${fromTo(BOUNDS.path.small_files)}.`,
        text: ({ small_files }) => String(small_files ?? 0),
        parse: (text) => parseCount(text, ...BOUNDS.path.small_files),
      },
      {
        name: "small_file_bytes",
        label: "Size of small files",
        help: "Of each, up to the block size. They use the page cache at both ends.",
        text: ({ small_file_bytes }) => blocksText([small_file_bytes ?? 4096]),
        parse: (text) => parseSize(text, ...BOUNDS.path.small_file_bytes),
        used: ({ small_files }) => (small_files ?? 0) > 0,
      },
      {
        name: "duration_ms",
        label: "Duration of memory to memory",
        help: "Of each trial without a disk.",
        text: ({ duration_ms }) => spanText(duration_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.path.duration_ms),
        used: ({ legs }) => legs?.includes("memory") ?? true,
      },
      {
        name: "ramp_ms",
        label: "Ramp-up",
        help: "Of each trial from memory to memory; excluded from its rate.",
        text: ({ ramp_ms }) => spanText(ramp_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.path.ramp_ms),
      },
      {
        name: "full_duplex",
        label: "Full duplex",
        help: "Both ends send and receive, read and write, at the same time.",
        choices: [
          { value: "no", label: "No: source to sink" },
          { value: "yes", label: "Yes: both directions at once" },
        ],
        text: ({ full_duplex }) => (full_duplex ? "yes" : "no"),
        parse: (text) =>
          text === "yes" || text === "no"
            ? { value: text === "yes" }
            : { error: "Select a value from the list." },
      },
      REPEATS,
    ],
  },
  {
    title: "Pipeline",
    parameters: [
      {
        name: "block",
        label: "Block sizes",
        help: "I/O size at both ends; one cell per value and leg.",
        text: ({ block }) => blocksText(block ?? []),
        parse: (text) => parseBlocks(text, BOUNDS.path.block),
        understood: (text) => understoodBlocks(text, BOUNDS.path.block),
      },
      {
        name: "streams",
        label: "Streams",
        help: `TCP connections, ${fromTo(BOUNDS.path.streams)}; one cell per value and leg over the network.`,
        text: ({ streams }) => (streams ?? []).join(", "),
        parse: (text) => parseCounts(text, ...BOUNDS.path.streams),
      },
      {
        name: "threads_per_device",
        label: "Threads per device",
        help: `Readers at the source and writers at the sink, ${fromTo(BOUNDS.path.threads_per_device)} for each physical device below a directory (of a RAID or volume: its disks); each has a file of its own.`,
        text: ({ threads_per_device }) => String(threads_per_device ?? 1),
        parse: (text) => parseCount(text, ...BOUNDS.path.threads_per_device),
      },
      choice(
        "source_cache",
        { label: "Cache at the source", help: CACHE.help },
        CACHE.choices ?? [],
      ),
      choice("sink_cache", { label: "Cache at the sink", help: CACHE.help }, CACHE.choices ?? []),
      cpusOf("source"),
      cpusOf("sink"),
      choice(
        "integrity",
        {
          label: "Integrity check",
          help: "A checksum of each block, and a digest of all data on which both ends must agree.",
        },
        [
          { value: "none", label: "None" },
          { value: "crc32c", label: "CRC32C" },
        ],
      ),
    ],
  },
  {
    title: "Connection",
    folded: true,
    parameters: [
      SOCKET_BUFFERS,
      CONGESTION_CONTROL,
      {
        name: "pacing_bytes_per_s",
        label: "Pacing",
        help: "Highest rate of all streams together, such as 5 Gb/s; auto sets none.",
        text: ({ pacing_bytes_per_s: rate }) => (rate ? ratesText([rate]) : AUTOMATIC),
        parse: parseAutoRate,
      },
      {
        name: "ring_bytes",
        label: "Ring",
        help: "Memory between disk and network at each end; auto fits the cache.",
        text: ({ ring_bytes }) => autoSizeText(ring_bytes),
        parse: (text) => parseAutoSize(text, ...BOUNDS.path.ring_bytes),
      },
      FAMILY,
      choice(
        "listener",
        {
          label: "Listening end",
          help: "The end that accepts the connections; the other end must be able to reach its port.",
        },
        [
          { value: "receiver", label: "Sink" },
          { value: "sender", label: "Source" },
        ],
      ),
      portOf(BOUNDS.path.port),
      LAST_PORT,
      addressOf("source"),
      addressOf("sink"),
    ],
  },
  {
    title: "Limits and sampling",
    folded: true,
    parameters: [TIME_LIMIT, SYNC_LIMIT, SAMPLING_INTERVAL, ORDER],
  },
];

/** A run's length in bytes, whatever expression the test has. */
function measuredLength(parameters: RunParameters): string | null {
  const { length } = parameters as unknown as PathTest;
  return typeof length === "number" ? formatBytes(length) : null;
}
