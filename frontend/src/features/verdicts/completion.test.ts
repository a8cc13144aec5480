import { expect, test } from "vitest";
import type { Metric, Test } from "@/api/shapes";
import { completions } from "./completion";

const CELL = [
  { name: "block", dimension: "size", required: false, choices: [] },
  { name: "threads", dimension: "count", required: false, choices: [] },
];
const RATE = { name: "rate", dimension: "rate", required: true, choices: [] };
const CACHE = { name: "cache", dimension: "word", required: false, choices: ["page", "direct"] };

const metrics = [
  {
    name: "durable.mean",
    label: "mean durable rate",
    dimension: "rate",
    better: "more",
    units: ["MB/s", "MiB/s", "Gb/s"],
    arguments: CELL,
  },
  {
    name: "durable.min",
    label: "lowest durable rate",
    dimension: "rate",
    better: "more",
    units: ["MB/s"],
    arguments: CELL,
  },
  {
    name: "write.p99",
    label: "p99 latency of a write",
    dimension: "duration",
    better: "less",
    units: ["ms", "s"],
    arguments: [],
  },
  {
    name: "steady",
    label: "steady state",
    dimension: "yes_no",
    better: "more",
    units: [],
    arguments: [],
  },
  {
    name: "stall.max",
    label: "longest operation",
    dimension: "duration",
    better: "less",
    units: ["s"],
    arguments: [CACHE],
  },
  {
    name: "buffer_at",
    label: "required buffer",
    dimension: "size",
    better: "less",
    units: ["KiB", "MB"],
    arguments: [RATE],
  },
] as unknown as Metric[];

const tests = [
  { block: [65_536, 800_000], threads: [1, 2] },
  { block: [65_536] },
] as unknown as Test[];

const of = (text: string) => completions(metrics, text, tests);

test("a metric is completed from any part of its name", () => {
  expect(of("dur")).toEqual(["durable.mean", "durable.min"]);
  expect(of("mean")).toEqual(["durable.mean"]);
  expect(of("")).toHaveLength(6);
});

test("a metric is found by the words of its label", () => {
  expect(of("Durable rate")).toEqual(["durable.mean", "durable.min"]);
  expect(of("longest op")).toEqual(["stall.max"]);
  expect(of("steady state")).toEqual(["steady"]);
  expect(of("longest shelf")).toEqual([]);
});

test("a complete metric is followed by its cell or an operator that suits it", () => {
  expect(of("durable.mean")).toEqual([
    "durable.mean(",
    "durable.mean >= ",
    "durable.mean > ",
    "durable.mean <= ",
    "durable.mean < ",
  ]);
  expect(of("write.p99")[0]).toBe("write.p99 < ");
  expect(of("steady")).toEqual([]);
  expect(of("buffer_at")).toEqual(["buffer_at("]);
});

test("an operator that was begun is completed", () => {
  expect(of("durable.mean >")).toEqual(["durable.mean >= ", "durable.mean > "]);
  expect(of("durable.mean(block=64 KiB) ")).toHaveLength(4);
});

test("a word is completed from its choices", () => {
  expect(of("stall.max(cache=")).toEqual(["stall.max(cache=page)", "stall.max(cache=direct)"]);
  expect(of("stall.max(cache=d")).toEqual(["stall.max(cache=direct)"]);
});

test("a cell is completed from the values of the tests", () => {
  expect(of("durable.mean(")).toEqual(["durable.mean(block=", "durable.mean(threads="]);
  expect(of("durable.mean(block=")).toEqual([
    "durable.mean(block=64 KiB)",
    "durable.mean(block=800 kB)",
  ]);
  expect(of("durable.mean(block=64 KiB, ")).toEqual(["durable.mean(block=64 KiB, threads="]);
  expect(of("durable.mean(block=64 KiB, threads=2")).toEqual([
    "durable.mean(block=64 KiB, threads=2)",
  ]);
  expect(completions(metrics, "durable.mean(block=64 K")).toEqual(["durable.mean(block=64 KiB)"]);
  expect(of("buffer_at(10 G")).toEqual(["buffer_at(10 Gb/s)"]);
  expect(of("buffer_at(rate=10 G")).toEqual(["buffer_at(rate=10 Gb/s)"]);
});

test("a number is completed with the units of its metric", () => {
  expect(of("durable.mean >= 1250")).toEqual([
    "durable.mean >= 1250 MB/s",
    "durable.mean >= 1250 MiB/s",
    "durable.mean >= 1250 Gb/s",
  ]);
  expect(of("durable.mean >= 1250 g")).toEqual(["durable.mean >= 1250 Gb/s"]);
  expect(of("durable.mean >= 1250 MB/s")).toEqual([]);
  expect(of("nonsense > 5")).toEqual([]);
});
