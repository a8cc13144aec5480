import { expect, it } from "vitest";
import type { Sustained } from "@/features/kinds/sustained/shapes";
import { heldLevels } from "@/features/kinds/testLevels";
import { answerSentences, cellText } from "./answer";

const side = (run_id: number, more: object) => ({
  run_id,
  operation: "write" as "write" | "read" | "mixed",
  access: "sequential" as "sequential" | "random",
  rate: "application" as "application" | "durable",
  cell: "1000000",
  mode: { cache: null, priority: null, io_priority: null },
  served_by: "device" as const,
  shown_trial_id: 1,
  bytes_per_s: 1e9,
  offered_bytes_per_s: null as number | null,
  levels: null,
  no_cliff_within_bytes: null,
  peak_ns: 1,
  shape: null,
  slow_down: null,
  carried: null,
  ratio: null,
  p: null,
  significant: false,
  too_few_repeats: false,
  ...more,
});
const nameOf = (run: number) => (run === 1 ? "A" : "B");
const words = (...runs: ReturnType<typeof side>[]) =>
  answerSentences({ kind: "sustained", runs }, nameOf, "MB/s");

it("does not compare the page cache with the device, whichever comes first", () => {
  const cached = { served_by: "page_cache", bytes_per_s: 10e9 };
  expect(words(side(1, {}), side(2, cached))).toEqual([
    "B and A cannot be compared: the page cache served B (10.0\u00a0GB/s), but not A (1.00\u00a0GB/s).",
  ]);
  expect(words(side(1, cached), side(2, {}))).toEqual([
    "B and A cannot be compared: the page cache served A (10.0\u00a0GB/s), but not B (1.00\u00a0GB/s).",
  ]);
});

it("does not compare a read with a write", () => {
  expect(words(side(1, {}), side(2, { operation: "read", bytes_per_s: 2e9 }))).toEqual([
    "B and A cannot be compared: B reads (2.00\u00a0GB/s), and A writes (1.00\u00a0GB/s).",
  ]);
});

it("compares random access only with random access of the same share of reads", () => {
  const mixed = { operation: "mixed", access: "random", read_percent: 70, bytes_per_s: 5e7 };
  expect(words(side(1, {}), side(2, { access: "random", bytes_per_s: 5e7 }))).toEqual([
    "B and A cannot be compared: B writes at random (50.0\u00a0MB/s), and A writes (1.00\u00a0GB/s).",
  ]);
  expect(words(side(1, mixed), side(2, { ...mixed, read_percent: 50 }))).toEqual([
    "B and A cannot be compared: B reads (50\u00a0%) and writes at random (50.0\u00a0MB/s), and A reads (70\u00a0%) and writes at random (50.0\u00a0MB/s).",
  ]);
});

it("states a factor only for a difference beyond noise", () => {
  expect(words(side(1, {}), side(2, { ratio: 2, significant: true, bytes_per_s: 2e9 }))).toEqual([
    "B is 2.00 times as fast as A (2.00\u00a0GB/s against 1.00\u00a0GB/s).",
  ]);
  expect(words(side(1, {}), side(2, { ratio: 1.01 }))).toEqual([
    "B is as fast as A within noise (1.00\u00a0GB/s against 1.00\u00a0GB/s).",
  ]);
});

it("does not compare runs that were paced at different rates", () => {
  const paced = { offered_bytes_per_s: 125e6 };
  expect(words(side(1, paced), side(2, { offered_bytes_per_s: 1.25e9 }))).toEqual([
    "B and A cannot be compared: they were paced at 1.25\u00a0GB/s and 125\u00a0MB/s.",
  ]);
});

it("gives the durable rate beside a cliff that only the application saw", () => {
  const levels = { held: heldLevels([3.46e8, 8.68], [6.07e7, 20]), durable: false };
  const [sentence] = words(
    side(1, { rate: "durable", bytes_per_s: 4.16e7 }),
    side(2, { rate: "durable", bytes_per_s: 4.12e7, levels }),
  );
  expect(sentence?.replaceAll("\u00a0", " ")).toBe(
    "The rate changed for good: B reached an application rate of 346 MB/s for 8.68 s (3.00 GB), then 60.7 MB/s, and 41.2 MB/s durable over all; A 41.6 MB/s durable.",
  );
});

it("names the cell of a sweep that stands for its run", () => {
  const cell = (queue_depth: number, operation = "write") => ({
    key: `4096q${queue_depth}`,
    operation,
    block: 4096,
    queue_depth,
    mode: { cache: null, priority: null, io_priority: null },
  });
  const of = (...cells: object[]) =>
    cellText({ cells } as unknown as Sustained, side(1, { cell: "4096q32" }));
  expect(of(cell(1), cell(32))).toBe("4\u00a0KiB blocks, queue depth 32");
  expect(of(cell(32), cell(32, "read"))).toBeNull();
  expect(of(cell(1), cell(8))).toBeNull();
});
