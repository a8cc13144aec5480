/** The parameters of a path test. */
import type { RunParameters } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";
import type { ParameterGroup } from "@/features/parameters/parameters";
import {
  blocksText,
  fileSizeText,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
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
  SAMPLING_INTERVAL,
  SYNC_LIMIT,
  TIME_LIMIT,
} from "@/features/parameters/shared";
import {
  AUTOMATIC,
  legsText,
  parseAutoRate,
  parseAutoSize,
  parseAutoWord,
  parseLegs,
  understoodLegs,
} from "./parse";
import type { PathTest } from "./shapes";

const HOUR_MS = 3_600_000;
const LARGEST_PORT = 65_535;
const ADDRESS = /^[0-9a-f:.]{2,45}$/i;
const NO_ADDRESS = "Enter an IP address such as 192.0.2.7, or auto.";

const sizeText = (bytes: number | undefined): string => (bytes ? fileSizeText(bytes) : AUTOMATIC);

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
        name: "duration_ms",
        label: "Duration of memory to memory",
        help: "Of each trial without a disk.",
        text: ({ duration_ms }) => spanText(duration_ms ?? 0),
        parse: (text) => parseSpan(text, 100, 24 * HOUR_MS),
        used: ({ legs }) => legs?.includes("memory") ?? true,
      },
      {
        name: "ramp_ms",
        label: "Ramp-up",
        help: "Of each trial from memory to memory; excluded from its rate.",
        text: ({ ramp_ms }) => spanText(ramp_ms ?? 0),
        parse: (text) => parseSpan(text, 0, HOUR_MS),
      },
      {
        name: "repeats",
        label: "Repeats",
        help: "Trials of each cell. Use five or more to tell differences from noise.",
        text: ({ repeats }) => String(repeats),
        parse: (text) => parseCount(text, 1, 100),
      },
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
        parse: parseBlocks,
        understood: understoodBlocks,
      },
      {
        name: "streams",
        label: "Streams",
        help: "TCP connections, 1 to 128; one cell per value and leg over the network.",
        text: ({ streams }) => (streams ?? []).join(", "),
        parse: (text) => parseCounts(text, 1, 128),
      },
      choice(
        "source_cache",
        { label: "Cache at the source", help: CACHE.help },
        CACHE.choices ?? [],
      ),
      choice("sink_cache", { label: "Cache at the sink", help: CACHE.help }, CACHE.choices ?? []),
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
      {
        name: "socket_buffer_bytes",
        label: "Socket buffers",
        help: "auto keeps the kernel's own tuning, which a fixed size ends.",
        text: ({ socket_buffer_bytes }) => sizeText(socket_buffer_bytes),
        parse: (text) => parseAutoSize(text, 1),
      },
      {
        name: "congestion_control",
        label: "Congestion control",
        help: "Such as cubic or bbr; auto is each host's default.",
        text: ({ congestion_control }) => congestion_control ?? AUTOMATIC,
        parse: (text) =>
          parseAutoWord(text, /^[a-z0-9_-]{1,15}$/, "Enter a name such as cubic, or auto."),
      },
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
        text: ({ ring_bytes }) => sizeText(ring_bytes),
        parse: (text) => parseAutoSize(text, 1),
      },
      choice("family", { label: "IP version" }, [
        { value: "any", label: "Either" },
        { value: "ipv4", label: "IPv4" },
        { value: "ipv6", label: "IPv6" },
      ]),
      choice(
        "listener",
        {
          label: "Listening end",
          help: "The end that accepts the connections, behind no firewall.",
        },
        [
          { value: "receiver", label: "Sink" },
          { value: "sender", label: "Source" },
        ],
      ),
      {
        name: "port",
        label: "Port",
        help: "The first port that is tried; 0 for any free one.",
        text: ({ port }) => String(port ?? 0),
        parse: (text) => parseCount(text, 0, LARGEST_PORT),
      },
      {
        name: "last_port",
        label: "Last port",
        help: "0 tries only the first port.",
        text: ({ last_port }) => String(last_port ?? 0),
        parse: (text) => parseCount(text, 0, LARGEST_PORT),
        used: ({ port }) => port !== 0,
      },
      {
        name: "source_address",
        label: "Address of the source",
        help: "Selects its card; auto is the address by which Assay reaches the host.",
        text: ({ source_address }) => source_address ?? AUTOMATIC,
        parse: (text) => parseAutoWord(text, ADDRESS, NO_ADDRESS),
      },
      {
        name: "sink_address",
        label: "Address of the sink",
        help: "Selects its card; auto is the address by which Assay reaches the host.",
        text: ({ sink_address }) => sink_address ?? AUTOMATIC,
        parse: (text) => parseAutoWord(text, ADDRESS, NO_ADDRESS),
      },
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
