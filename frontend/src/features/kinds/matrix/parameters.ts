/** The parameters of a matrix. */
import type { RunParameters } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";
import type { Choice, Parameter, ParameterGroup } from "@/features/parameters/parameters";
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
import type { MatrixTest, ResolvedMatrix } from "./shapes";

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A parameter whose value is one of a few words. */
function choice(
  name: "operation" | "layout" | "cache" | "open_mode" | "order",
  rest: Pick<Parameter, "label" | "help">,
  choices: Choice[],
): Parameter<MatrixTest> {
  return {
    name,
    ...rest,
    choices,
    text: (test) => test[name],
    parse: (text) =>
      choices.some(({ value }) => value === text)
        ? { value: text }
        : { error: "Select a value from the list." },
  };
}

/** A launch does not override it. */
export const OPERATION = choice("operation", { label: "Operation" }, [
  { value: "write", label: "Write" },
  { value: "read", label: "Read" },
]);

export const GROUPS: ParameterGroup<MatrixTest>[] = [
  {
    title: "Matrix",
    parameters: [
      {
        name: "block",
        label: "Block sizes",
        help: "I/O size; one row per value.",
        text: (test) => blocksText(test.block),
        parse: parseBlocks,
        understood: understoodBlocks,
        wide: true,
      },
      {
        name: "threads",
        label: "Threads",
        help: "Concurrent writers or readers; one column per value.",
        text: (test) => test.threads.join(", "),
        parse: (text) => parseCounts(text, 1, 256),
      },
      {
        name: "file_size",
        label: "File size",
        help: "Size of each file, or an expression of ram, free, cpus and rate: 3 * ram exceeds the page cache.",
        text: (test) => fileSizeText(test.file_size),
        parse: parseFileSize,
        understood: understoodFileSize,
        measured: measuredSize,
      },
      {
        name: "files",
        label: "Concurrent files",
        help: "At most one per thread; threads that share a file alternate block by block.",
        text: (test) => String(test.files),
        parse: (text) => parseCount(text, 1, 256),
      },
      {
        name: "repeats",
        label: "Repeats",
        help: "Passes over the whole matrix. Use five or more to tell differences from noise.",
        text: (test) => String(test.repeats),
        parse: (text) => parseCount(text, 1, 100),
      },
    ],
  },
  {
    title: "I/O path",
    parameters: [
      choice(
        "cache",
        {
          label: "Cache",
          help: "Direct I/O bypasses the page cache. The test fails if the file system does not support it.",
        },
        [
          { value: "page", label: "Page cache" },
          { value: "direct", label: "Direct (O_DIRECT)" },
          { value: "direct_if_real", label: "Direct, else page cache" },
        ],
      ),
      choice(
        "open_mode",
        {
          label: "Open mode",
          help: "Sync behavior of each write.",
        },
        [
          { value: "rw", label: "rw: no sync" },
          { value: "rwd", label: "rwd: sync data (O_DSYNC)" },
          { value: "rws", label: "rws: sync data and metadata (O_SYNC)" },
        ],
      ),
      choice(
        "layout",
        {
          label: "Layout",
          help: "Grow, preallocate or overwrite.",
        },
        [
          { value: "fresh", label: "Fresh: grow a new file" },
          { value: "preallocated", label: "Preallocated" },
          { value: "overwrite", label: "Overwrite existing data" },
        ],
      ),
    ],
  },
  {
    title: "Limits, sampling and order",
    folded: true,
    parameters: [
      {
        name: "timeout_ms",
        label: "Time limit",
        help: "Per trial, without the final sync. Data transferred by then counts.",
        text: (test) => spanText(test.timeout_ms),
        parse: (text) => parseSpan(text, 100, 100 * HOUR),
      },
      {
        name: "sync_timeout_ms",
        label: "Sync limit",
        help: "For the final sync. If exceeded, the durable rate is reported as an upper bound.",
        text: (test) => spanText(test.sync_timeout_ms),
        parse: (text) => parseSpan(text, 100, 100 * HOUR),
      },
      {
        name: "sample_ms",
        label: "Sampling interval",
        help: "From 100 ms to 60 s.",
        text: (test) => spanText(test.sample_ms),
        parse: (text) => parseSpan(text, 100, 60 * SECOND),
      },
      choice(
        "order",
        {
          label: "Order",
          help: "Shuffling keeps drift from looking like an effect of a parameter. The order is recorded.",
        },
        [
          { value: "shuffled", label: "Shuffled" },
          { value: "given", label: "As given" },
        ],
      ),
    ],
  },
];

/** A run's file size is a number of bytes, whatever the test has. */
function measuredSize(parameters: RunParameters): string | null {
  const { file_size } = parameters as ResolvedMatrix;
  return typeof file_size === "number" ? formatBytes(file_size) : null;
}
