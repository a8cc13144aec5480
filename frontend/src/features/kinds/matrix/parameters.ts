/** The parameters of a matrix. */
import { BOUNDS } from "@/api/bounds";
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
  understoodBlocks,
  understoodFileSize,
} from "@/features/parameters/parse";
import {
  CACHE,
  choice,
  ORDER,
  SAMPLING_INTERVAL,
  SYNC_LIMIT,
  TIME_LIMIT,
} from "@/features/parameters/shared";
import type { MatrixTest, ResolvedMatrix } from "./shapes";

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
        parse: (text) => parseCounts(text, ...BOUNDS.matrix.threads),
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
        parse: (text) => parseCount(text, ...BOUNDS.matrix.files),
      },
      {
        name: "repeats",
        label: "Repeats",
        help: "Passes over the whole matrix. Use five or more to tell differences from noise.",
        text: (test) => String(test.repeats),
        parse: (text) => parseCount(text, ...BOUNDS.matrix.repeats),
      },
    ],
  },
  {
    title: "I/O path",
    parameters: [
      CACHE,
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
    parameters: [TIME_LIMIT, SYNC_LIMIT, SAMPLING_INTERVAL, ORDER],
  },
];

/** A run's file size is a number of bytes, whatever the test has. */
function measuredSize(parameters: RunParameters): string | null {
  const { file_size } = parameters as ResolvedMatrix;
  return typeof file_size === "number" ? formatBytes(file_size) : null;
}
