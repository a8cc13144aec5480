/** The parameters of a records test. */
import { BOUNDS } from "@/api/bounds";
import type { RunParameters } from "@/api/shapes";
import {
  addressOf,
  CONGESTION_CONTROL,
  FAMILY,
  LAST_PORT,
  portOf,
  SOCKET_BUFFERS,
} from "@/features/parameters/connection";
import type { ParameterGroup } from "@/features/parameters/parameters";
import {
  blocksText,
  fileSizeText,
  parseBlocks,
  parseCount,
  parseSize,
  parseSpan,
  sizesFromTo,
  spanText,
} from "@/features/parameters/parse";
import {
  choice,
  ORDER,
  REPEATS,
  SAMPLING_INTERVAL,
  SYNC_LIMIT,
} from "@/features/parameters/shared";
import type { RecordsTest } from "./shapes";

/** A figure for which 0 means none. */
const orNone = (value: number | undefined, format: (value: number) => string): string =>
  value ? format(value) : "0";

/** Whether the test writes a file; that of a control in memory does not. */
const hasFile = ({ sink }: RecordsTest): boolean => sink !== "memory";

export const GROUPS: ParameterGroup<RecordsTest>[] = [
  {
    title: "Records and time",
    parameters: [
      {
        name: "record_bytes",
        label: "Record lengths",
        help: `${sizesFromTo(BOUNDS.records.record_bytes)}; one cell per value.`,
        text: ({ record_bytes }) => blocksText(record_bytes ?? []),
        parse: (text) =>
          parseBlocks(text, BOUNDS.records.record_bytes, "record length, such as 1 KiB"),
      },
      {
        ...choice(
          "sink",
          {
            label: "Sink",
            help: "Memory of the sink's host is the control: it shows what the network and the CPUs allow without the disk.",
          },
          [
            { value: "as_chosen", label: "As selected" },
            { value: "memory", label: "Memory" },
          ],
        ),
        measured: measuredSink,
      },
      {
        name: "warm_up_ms",
        label: "Warm-up",
        help: "Of each trial; excluded from its rates.",
        text: ({ warm_up_ms }) => spanText(warm_up_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.records.warm_up_ms),
      },
      {
        name: "window_ms",
        label: "Window",
        help: "Time after the warm-up; the rates cover it alone.",
        text: ({ window_ms }) => spanText(window_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.records.window_ms),
      },
      {
        name: "rate_records_per_s",
        label: "Rate of each sender",
        help: "Records per second, with latencies from the due time; 0 sends as fast as possible.",
        text: ({ rate_records_per_s }) => String(rate_records_per_s ?? 0),
        parse: (text) => parseCount(text, ...BOUNDS.records.rate_records_per_s),
      },
      REPEATS,
    ],
  },
  {
    title: "Batches and storage",
    parameters: [
      {
        name: "batch_records",
        label: "Records per batch",
        help: "A batch is sent once it has this many records.",
        text: ({ batch_records }) => String(batch_records ?? ""),
        parse: (text) => parseCount(text, ...BOUNDS.records.batch_records),
      },
      {
        name: "batch_ms",
        label: "Batch time",
        help: "A batch is sent no later than this after its first record.",
        text: ({ batch_ms }) => spanText(batch_ms ?? 0),
        parse: (text) => parseSpan(text, ...BOUNDS.records.batch_ms),
      },
      choice("format", { label: "Format", help: "How records are written to the file." }, [
        { value: "raw", label: "Raw" },
        { value: "json", label: "JSON lines" },
      ]),
      choice(
        "acknowledge",
        {
          label: "Acknowledgement",
          help: "What the receiver has done with a batch before it acknowledges it.",
        },
        [
          { value: "none", label: "None" },
          { value: "received", label: "On receipt" },
          { value: "written", label: "Written" },
          { value: "synced", label: "Synced" },
        ],
      ),
      {
        name: "in_flight_batches",
        label: "Batches in flight",
        help: "Maximum number of unacknowledged batches of each sender.",
        text: ({ in_flight_batches }) => String(in_flight_batches ?? ""),
        parse: (text) => parseCount(text, ...BOUNDS.records.in_flight_batches),
        used: ({ acknowledge }) => acknowledge !== "none",
      },
      {
        name: "sync_ms",
        label: "Sync interval",
        help: "How often the file is synced; 0 syncs it only at the end.",
        text: ({ sync_ms }) => orNone(sync_ms, spanText),
        parse: (text) => parseSpan(text, ...BOUNDS.records.sync_ms),
        used: hasFile,
      },
      {
        name: "sync_bytes",
        label: "Sync after data",
        help: "Data written between syncs of the file; 0 syncs it only at the end.",
        text: ({ sync_bytes }) => orNone(sync_bytes, fileSizeText),
        parse: (text) => parseSize(text, ...BOUNDS.records.sync_bytes),
        used: hasFile,
      },
    ],
  },
  {
    title: "Connection",
    folded: true,
    parameters: [
      SOCKET_BUFFERS,
      CONGESTION_CONTROL,
      FAMILY,
      portOf(BOUNDS.records.port),
      LAST_PORT,
      addressOf("sink"),
    ],
  },
  {
    title: "Limits and sampling",
    folded: true,
    parameters: [SYNC_LIMIT, SAMPLING_INTERVAL, ORDER],
  },
];

/** Where a run's records went, whatever its test says. */
function measuredSink(parameters: RunParameters): string {
  const { sink } = parameters as { sink?: string };
  return sink === "memory" ? "Memory" : "File";
}
