import { expect, it } from "vitest";
import type { Sustained, SustainedCell } from "@/features/kinds/sustained/sustained";
import { sweepOf } from "./sweep";

const NONE = { cache: null, priority: null, io_priority: null };

const cell = (own: Partial<SustainedCell>): SustainedCell =>
  ({
    key: JSON.stringify(own),
    operation: "read",
    block: 4096,
    queue_depth: 1,
    rate_bytes_per_s: null,
    burst_blocks: null,
    idle_ms: 0,
    mode: NONE,
    ...own,
  }) as SustainedCell;

const result = (cells: SustainedCell[], operation = "read"): Sustained =>
  ({ operation, cells, participants: [] }) as unknown as Sustained;

const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("draws the cells over their queue depths, in ascending order", () => {
  const sweep = sweepOf(result([32, 1, 8].map((queue_depth) => cell({ queue_depth }))), "MB/s");
  expect(sweep?.title).toBe("Queue depth");
  expect(sweep?.values).toEqual([1, 8, 32]);
  expect(sweep?.lines.map(({ name, cells }) => [name, cells.map(({ value }) => value)])).toEqual([
    ["", [1, 8, 32]],
  ]);
});

it("has the setting of which there are most values as its axis, and a line for each other value", () => {
  const cells = [4096, 8192, 16_384].flatMap((block) =>
    [1, 16].map((queue_depth) => cell({ block, queue_depth })),
  );
  const sweep = sweepOf(result(cells), "MB/s");
  expect(sweep?.title).toBe("Block size");
  expect(sweep?.values.map((value) => plain(sweep.text(value)))).toEqual([
    "4 KiB",
    "8 KiB",
    "16 KiB",
  ]);
  expect(sweep?.lines.map(({ name }) => name)).toEqual(["queue depth 1", "queue depth 16"]);
  expect(sweep?.lines.map((line) => line.cells.length)).toEqual([3, 3]);
});

it("tells writes from reads, and trials after a rest from those without", () => {
  const cells = (["write", "read"] as const).flatMap((operation) =>
    [1, 2].flatMap((burst_blocks) =>
      [0, 5000].map((idle_ms) => cell({ operation, burst_blocks, idle_ms })),
    ),
  );
  const sweep = sweepOf(result(cells, "both"), "MB/s");
  expect(sweep?.title).toBe("Blocks per burst");
  expect(sweep?.lines.map(({ name }) => plain(name))).toEqual([
    "writes, without rest",
    "writes, after 5 s of rest",
    "reads, without rest",
    "reads, after 5 s of rest",
  ]);
});

it("draws a line for each cache and priority that the sweep compares", () => {
  const modes = [
    { ...NONE, cache: "page", priority: "normal" },
    { ...NONE, cache: "direct", priority: "fifo" },
  ] as const;
  const cells = [8, 2].flatMap((burst_blocks) =>
    modes.map((mode) => cell({ operation: "write", burst_blocks, mode })),
  );
  const sweep = sweepOf(result(cells, "write"), "MB/s");
  expect(sweep?.lines.map(({ name, cells: of }) => [name, of.map(({ value }) => value)])).toEqual([
    ["page cache, normal priority", [2, 8]],
    ["direct I/O, SCHED_FIFO", [2, 8]],
  ]);
  expect(sweepOf(result(modes.map((mode) => cell({ mode }))), "MB/s")).toBeNull();
});

it("is none if only the rest differs, or nothing does", () => {
  expect(sweepOf(result([0, 60_000].map((idle_ms) => cell({ idle_ms }))), "MB/s")).toBeNull();
  expect(sweepOf(result([cell({})]), "MB/s")).toBeNull();
  expect(sweepOf(result([]), "MB/s")).toBeNull();
});
