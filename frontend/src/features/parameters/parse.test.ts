import { describe, expect, it } from "vitest";
import {
  blocksText,
  fileSizeText,
  isDuration,
  nanosecondsText,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
  parseLength,
  parseNanoseconds,
  parseSize,
  parseSpan,
  sizeText,
  spanText,
} from "./parse";

const BLOCKS = [512, 67_108_864] as const;

describe("block sizes", () => {
  it("are read with one unit for all or one for each", () => {
    expect(parseBlocks("64, 128 KiB", BLOCKS)).toEqual({ value: [65_536, 131_072] });
    expect(parseBlocks("4k; 1MiB", BLOCKS)).toEqual({ value: [4096, 1_048_576] });
    expect(parseBlocks("65536", BLOCKS)).toEqual({ value: [65_536] });
  });
  it("come back from their own text", () => {
    const blocks = [512, 65_536, 4_194_304];
    expect(parseBlocks(blocksText(blocks), BLOCKS)).toEqual({ value: blocks });
  });
  it("are rejected outside 512 B to 64 MiB, and if they are not sizes", () => {
    expect(parseBlocks("128 MiB", BLOCKS)).toHaveProperty("error");
    expect(parseBlocks("256", BLOCKS)).toHaveProperty("error");
    expect(parseBlocks("big", BLOCKS)).toHaveProperty("error");
    expect(parseBlocks(" , ", BLOCKS)).toHaveProperty("error");
  });
});

describe("counts", () => {
  it("name the entry that is wrong", () => {
    expect(parseCounts("1, 2, 0", [1, 256])).toEqual({
      error: "0 is not a whole number from 1 to 256.",
    });
    expect(parseCounts("1,2,4", [1, 256])).toEqual({ value: [1, 2, 4] });
    expect(parseCounts("1,2,1", [1, 256])).toEqual({ error: "1 appears more than once." });
  });
  it("are one where one is asked for", () => {
    expect(parseCount("5", [1, 100])).toEqual({ value: 5 });
    expect(parseCount("5, 6", [1, 100])).toHaveProperty("error");
  });
});

describe("a file size", () => {
  it("is bytes or an expression", () => {
    expect(parseFileSize("20000000")).toEqual({ value: 20_000_000 });
    expect(parseFileSize("500 MB")).toEqual({ value: 500_000_000 });
    expect(parseFileSize("min(1 GB, free / 10)")).toEqual({ value: "min(1 GB, free / 10)" });
  });
  it("is rejected with the unknown word", () => {
    expect(parseFileSize("2 * rom")).toEqual({
      error: "“rom” is neither a unit nor one of ram, cpus, free, rate, min, max.",
    });
    expect(parseFileSize("(2 * ram")).toEqual({ error: "Unbalanced parentheses." });
    expect(parseFileSize("$(id)")).toHaveProperty("error");
  });
  it("is shown in its round unit", () => {
    expect([500_000_000, 1_234_567, 1_500_000, "2 * ram"].map(fileSizeText)).toEqual([
      "500 MB",
      "1234567",
      "1.5 MB",
      "2 * ram",
    ]);
  });
});

describe("a span of time", () => {
  it("is read in seconds unless it says otherwise", () => {
    expect(parseSpan("60", [1, 1e9])).toEqual({ value: 60_000 });
    expect(parseSpan("500 ms", [1, 1e9])).toEqual({ value: 500 });
    expect(parseSpan("0.1 s", [100, 60_000])).toEqual({ value: 100 });
    expect(parseSpan("10 min", [1, 1e9])).toEqual({ value: 600_000 });
  });
  it("names its limits", () => {
    expect(parseSpan("10 ms", [100, 60_000])).toEqual({
      error: "Enter a duration from 100 ms to 1 min.",
    });
    expect(parseSpan("soon", [100, 60_000])).toHaveProperty("error");
  });
  it("comes back from its own text", () => {
    expect([100, 1500, 60_000, 600_000, 7_200_000].map(spanText)).toEqual([
      "100 ms",
      "1.5 s",
      "1 min",
      "10 min",
      "2 h",
    ]);
  });
});

it("reads a size within its bounds, and names them", () => {
  expect(parseSize("0", [0, 2 ** 20])).toEqual({ value: 0 });
  expect(parseSize("1 MiB", [0, 2 ** 20])).toEqual({ value: 2 ** 20 });
  const error = "Enter a size from 512\u00a0B to 1\u00a0MiB.";
  expect(parseSize("0", [512, 2 ** 20])).toEqual({ error });
  expect(parseSize("2 MiB", [512, 2 ** 20])).toEqual({ error });
});

it("shows a size in the unit in which it is round", () => {
  expect([0, 512, 1024, 4096, 100_000_000, 12_345].map(sizeText)).toEqual([
    "0",
    "512 B",
    "1 KiB",
    "4 KiB",
    "100 MB",
    "12345 B",
  ]);
});

it("reads a length as data, an expression or a duration", () => {
  expect(parseLength("500 GB")).toEqual({ value: 500_000_000_000 });
  expect(parseLength("2 * ram")).toEqual({ value: "2 * ram" });
  expect(parseLength(" 25 h ")).toEqual({ value: "25 h" });
  expect(parseLength("400 d")).toEqual({ error: "Enter a duration from 1 s to 366 d." });
});

it("tells a duration, which no time limit ends, from data and expressions", () => {
  expect([10_000, "2 * ram", "500 GB", "25 h", "90.5 min"].map(isDuration)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

it("reads back the text of nanoseconds", () => {
  for (const ns of [0, 1500, 15_625_000, 40_000_000, 1_500_000_000, 123]) {
    expect(parseNanoseconds(nanosecondsText(ns), [0, 3600e9])).toEqual({ value: ns });
  }
});
