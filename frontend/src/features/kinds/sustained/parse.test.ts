import { expect, it } from "vitest";
import { parseLength, parseNanoseconds, parseRates, parseSize, ratesText, spanOf } from "./parse";

it("reads a length as data, an expression or a duration", () => {
  expect(parseLength("500 GB")).toEqual({ value: 500_000_000_000 });
  expect(parseLength("2 * ram")).toEqual({ value: "2 * ram" });
  expect(parseLength(" 25 h ")).toEqual({ value: "25 h" });
  expect(parseLength("400 d")).toEqual({ error: "Enter a duration from 1 s to 366 d." });
});

it("reads rates in bytes and bits per second", () => {
  expect(parseRates("125 MB/s, 10 Gb/s; 1 MiB/s, 7")).toEqual({
    value: [125_000_000, 1_250_000_000, 1_048_576, 7],
  });
  expect(parseRates("fast")).toEqual({
    error: "fast is not a rate such as 125 MB/s or 10 Gb/s.",
  });
  expect(parseRates("1 MB/s, 1000 kB/s")).toHaveProperty("error");
});

it("reads back the text of rates and durations", () => {
  const rates = [19_440_000, 849_395_712, 1_250_000_000];
  expect(parseRates(ratesText(rates))).toEqual({ value: rates });
  for (const ns of [0, 1500, 15_625_000, 40_000_000, 1_500_000_000, 123]) {
    expect(parseNanoseconds(spanOf(ns), 0, 3600e9)).toEqual({ value: ns });
  }
});

it("reads no sync as 0, where that is allowed", () => {
  expect(parseSize("0", 512, true)).toEqual({ value: 0 });
  expect(parseSize("0", 512)).toHaveProperty("error");
  expect(parseSize("100 MB", 512)).toEqual({ value: 100_000_000 });
});
