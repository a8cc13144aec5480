import { expect, it } from "vitest";
import { isDuration, parseLength, parseNanoseconds, spanOf } from "./parse";

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

it("reads back the text of durations", () => {
  for (const ns of [0, 1500, 15_625_000, 40_000_000, 1_500_000_000, 123]) {
    expect(parseNanoseconds(spanOf(ns), 0, 3600e9)).toEqual({ value: ns });
  }
});
