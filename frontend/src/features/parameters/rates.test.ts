import { expect, it } from "vitest";
import { parseRates, ratesText } from "./formats";

it("reads rates in bytes and bits per second", () => {
  expect(parseRates("125 MB/s, 10 Gb/s; 1 MiB/s, 7", [1, 1e12])).toEqual({
    value: [125_000_000, 1_250_000_000, 1_048_576, 7],
  });
  expect(parseRates("2 KB/s, 3 kB/s, 2 KiB/s, 80 Kb/s", [1, 1e12])).toEqual({
    value: [2_000, 3_000, 2_048, 10_000],
  });
  expect(parseRates("fast", [1, 1e12])).toEqual({
    error: "fast is not a rate such as 125 MB/s or 10 Gb/s.",
  });
  expect(parseRates("1 MB/s, 1000 kB/s", [1, 1e12])).toHaveProperty("error");
});

it("reads back the text of rates", () => {
  const rates = [19_440_000, 849_395_712, 1_250_000_000];
  expect(parseRates(ratesText(rates), [1, 1e12])).toEqual({ value: rates });
});
