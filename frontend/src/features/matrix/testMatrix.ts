import type { Matrix, MatrixCell, RateKind, Stat } from "@/api/shapes";

/** Matrices for tests: a cell is given by what differs from an ordinary, honest, finished one. */

export const stat = (mean: number, more: Partial<Stat> = {}): Stat => ({
  mean,
  median: mean,
  worst: mean * 0.9,
  sd: mean * 0.01,
  n: 3,
  best: false,
  within_noise: false,
  bounded: false,
  p: null,
  ...more,
});

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
  durable: stat(100e6),
  application: stat(120e6),
  latency: null,
  marks: null,
  trials: [],
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
    kind: rates.includes("durable") ? "write" : "read",
    axes: { block: axis((each) => each.block), threads: axis((each) => each.threads) },
    rates,
    cells,
    best: { durable: null, application: null },
    advice: { durable: null, application: null },
    headline: null,
    headline_bps: null,
    best_bps: null,
    warnings: [],
    edition: "1",
  };
}
