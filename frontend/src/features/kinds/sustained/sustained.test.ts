import { expect, it } from "vitest";
import { cellText } from "./compare/SustainedComparison";
import { cellWords, type Sustained, type SustainedCell, shapeWords, trialWords } from "./sustained";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("names a trial by its block and its pace", () => {
  const setting = { block: 800_000, rate_bytes_per_s: null, burst_blocks: 6 };
  expect(plain(trialWords(setting))).toBe("800 kB blocks in bursts of 6");
  expect(plain(trialWords({ ...setting, idle_ms: 5000 }))).toBe(
    "800 kB blocks in bursts of 6 after 5 s of rest",
  );
  expect(plain(trialWords({ ...setting, rate_bytes_per_s: 125e6 }))).toBe(
    "800 kB blocks at 125 MB/s",
  );
});

it("names reads with a pace of their own by that", () => {
  const cell = { block: 800_000, rate_bytes_per_s: 80e6, burst_blocks: null, paced_apart: true };
  const words = (own: object) => plain(cellWords({ ...cell, ...own } as SustainedCell));
  expect(words({ offered_bytes_per_s: 20e6 })).toBe("800 kB blocks at 20.0 MB/s");
  expect(words({ offered_bytes_per_s: null })).toBe("800 kB blocks");
  expect(words({ offered_bytes_per_s: 80e6, paced_apart: false })).toBe(
    "800 kB blocks at 80.0 MB/s",
  );
});

it("names a steady decline and a sawtooth", () => {
  expect(plain(shapeWords({ shape: "decline", change: -0.404, period_ns: null }))).toBe(
    "a steady decline by 40.4 % of the mean",
  );
  expect(plain(shapeWords({ shape: "sawtooth", change: 0.31, period_ns: 20e9 }))).toBe(
    "a sawtooth of 31.0 % of the mean every 20 s",
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
    cellText({ cells } as unknown as Sustained, { cell: "4096q32", operation: "write" } as never);
  expect(of(cell(1), cell(32))).toBe("4\u00a0KiB blocks, queue depth 32");
  expect(of(cell(32), cell(32, "read"))).toBeNull();
  expect(of(cell(1), cell(8))).toBeNull();
});
