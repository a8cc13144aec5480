import { expect, it } from "vitest";
import { palette } from "@/charts/testPalette";
import type { Sustained, SustainedCell } from "@/features/kinds/sustained/sustained";
import { sweepFigure, sweepTable } from "./SweepChart";
import { sweepOf } from "./sweep";

const stat = (mean: number) => ({
  n: 1,
  mean,
  median: mean,
  worst: mean,
  cv: null,
  interval: null,
});

/** A read of 4 KiB blocks: each deeper queue has more operations per second, and waits longer. */
const cell = (queue_depth: number, iops: number | null): SustainedCell =>
  ({
    key: `depth ${queue_depth}`,
    operation: "read",
    block: 4096,
    queue_depth,
    rate_bytes_per_s: null,
    burst_blocks: null,
    idle_ms: 0,
    mode: { cache: null, priority: null, io_priority: null },
    iops: iops === null ? null : stat(iops),
    application: iops === null ? null : stat(iops * 4096),
    durable: null,
    latency: iops === null ? [] : [{ share: 0.99, ns: (queue_depth / iops) * 2e9 }],
    peak_ns: iops === null ? null : (queue_depth / iops) * 5e9,
  }) as unknown as SustainedCell;

const RESULT = {
  run_id: 7,
  operation: "read",
  access: "random",
  cells: [cell(1, 1000), cell(4, 3500), cell(32, null)],
  participants: [],
  sweet_spot: { cell: "depth 4" },
  peak_limit_ns: 100e6,
} as unknown as Sustained;

function drawn(result: Sustained) {
  const sweep = sweepOf(result, "MB/s");
  const figure = sweep && sweepFigure(result, sweep, "MB/s", palette);
  if (!figure) throw new Error("nothing is drawn");
  return { figure, table: sweepTable(result, sweep, "MB/s") };
}

it("draws IOPS, throughput, p99 and peak over the depths, a doubling apart", () => {
  const { figure } = drawn(RESULT);
  expect(figure.plot.strips.map(({ title }) => title)).toEqual([
    "Operations per second",
    "Throughput",
    "p99 read time",
    "Peak read time",
  ]);
  const [iops, throughput, p99] = figure.plot.strips.map(({ lines }) => lines[0]);
  expect(iops?.x).toEqual([0, 2, 5]);
  expect(iops?.y).toEqual([1000, 3500, null]);
  expect(throughput?.y).toEqual([4.096, 14.336, null]);
  expect(p99?.y[0]).toBeCloseTo(2);
  expect(figure.layout.xaxis).toMatchObject({
    tickvals: [0, 2, 5],
    ticktext: ["1", "4", "32"],
  });
});

it("marks the sweet spot, without a button that would zoom to it", () => {
  const { figure } = drawn(RESULT);
  expect(figure.layout.shapes).toContainEqual(
    expect.objectContaining({ type: "line", x0: 2, x1: 2 }),
  );
  expect(figure.marks).toEqual([]);
  const { layout } = drawn({ ...RESULT, sweet_spot: null }).figure;
  expect(layout.shapes).not.toContainEqual(expect.objectContaining({ xref: "x" }));
});

it("draws the durable rate of writes beside the application's", () => {
  const writes = RESULT.cells.map((one) => ({ ...one, operation: "write", durable: stat(1e6) }));
  const { figure } = drawn({ ...RESULT, operation: "write", cells: writes } as Sustained);
  expect(figure.plot.strips[1]?.lines.map(({ name }) => name)).toEqual(["application", "durable"]);
});

it("has the same figures as a table, with gaps where nothing was measured", () => {
  const { table } = drawn(RESULT);
  expect(table.columns).toEqual([
    "cell",
    "queue depth",
    "IOPS",
    "application (MB/s)",
    "durable (MB/s)",
    "p99 read time (ms)",
    "peak read time (ms)",
  ]);
  expect(table.rows.map(([name]) => String(name).replaceAll("\u00a0", " "))).toEqual([
    "4 KiB blocks, queue depth 1",
    "4 KiB blocks, queue depth 4",
    "4 KiB blocks, queue depth 32",
  ]);
  expect(table.rows[1]?.slice(1, 5)).toEqual([4, 3500, 14.336, null]);
  expect(table.rows[2]?.slice(1)).toEqual([32, null, null, null, null, null]);
});
