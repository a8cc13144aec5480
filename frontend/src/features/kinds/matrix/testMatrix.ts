import type { Levels } from "@/api/shapes";
import { heldLevels } from "@/features/kinds/testLevels";
import type {
  CellLevels,
  Flag,
  Matrix,
  MatrixCell,
  MatrixHeadline,
  RankedRepeats,
  RateKind,
} from "./matrix";

/** Matrices for tests: a cell is given by what differs from an ordinary, finished one. */

export const stat = (mean: number, more: Partial<RankedRepeats> = {}): RankedRepeats => ({
  mean,
  median: mean,
  worst: mean * 0.9,
  cv: 0.01,
  interval: null,
  n: 3,
  best: false,
  within_noise: false,
  too_few_repeats: false,
  bounded: false,
  p: null,
  ...more,
});

export const flag = (code: Flag["code"], more: Partial<Flag> = {}): Flag => ({
  code,
  evidence: ["The writes took 54.0 ms, and 55.0 ms with the sync; the minimum is one second."],
  figures: {},
  rates: ["durable", "application"],
  levels: [],
  ...more,
});

/** 350 MB/s for 12.3 s, then 41 MB/s. */
export const levels: Levels = heldLevels([350e6, 12.3], [41e6, 20]);

export const cliff: Flag = flag("cliff", {
  evidence: [
    "The rate changed for good: ",
    { bytes_per_s: 350e6 },
    " for 12 s, then ",
    { bytes_per_s: 41e6 },
    ".",
  ],
  figures: { changed_ns: 12.3e9, levels: 2, level_1_bytes_per_s: 350e6, level_2_bytes_per_s: 41e6 },
  levels,
});

/** The levels of a cell with a cliff in one of its two repeats. */
export const cellLevels: CellLevels = { held: levels, flagged_trials: 1, trials: 2 };

export const trial: MatrixCell["trials"][number] = {
  id: 1,
  repeat: 1,
  status: "complete",
  application_bytes_per_s: 1e8,
  durable_bytes_per_s: 1e8,
  lat_max_ns: 28_800_000,
  bytes: 1e9,
  bounded: false,
  reason: null,
  flags: [],
  data_share: 0.01,
  attempts: 1,
  again: false,
  verify_errors: 0,
  contention: null,
  writeback: null,
  window_ns: null,
  participants: [],
};

export const cell = (
  block: number,
  threads: number,
  more: Partial<MatrixCell> = {},
): MatrixCell => ({
  block,
  threads,
  files: 1,
  state: "done",
  repeats_done: 3,
  repeats_total: 3,
  repeats: ["3"],
  durable: stat(100e6),
  application: stat(120e6),
  latency: null,
  served_by: null,
  flags: [],
  trials: [],
  shares: null,
  ...more,
});

export function matrixOf(
  cells: MatrixCell[],
  rates: RateKind[] = ["durable", "application"],
): Matrix {
  const axis = (of: (each: MatrixCell) => number) =>
    [...new Set(cells.map(of))].sort((a, b) => a - b);
  return {
    run_id: 7,
    kind: "matrix",
    operation: rates.includes("durable") ? "write" : "read",
    axes: { block: axis((each) => each.block), threads: axis((each) => each.threads) },
    rates,
    cells,
    best: { durable: null, application: null },
    advice: { durable: null, application: null },
    headline: null,
    headline_levels: null,
    best_bytes_per_s: null,
    warnings: [],
    edition: "9",
    participants: [
      {
        id: 7,
        host: "web-1",
        path: "/mnt/a",
        role: "writer",
        clock_uncertainty_ns: null,
        devices: [],
      },
    ],
  };
}

/** A headline: 1.39 GB/s durable with one writer and 256 KiB blocks, unless `words` say otherwise. */
export const headline = (words: Partial<MatrixHeadline["words"]> = {}): MatrixHeadline => ({
  kind: "matrix",
  operation: "write",
  participants: 1,
  figure: null,
  no_result: null,
  words: {
    doubt: null,
    figure: { bytes_per_s: 1.39e9 },
    rest: ["durable with one writer and ", { block_bytes: 262144 }, " blocks"],
    ...words,
  },
});
