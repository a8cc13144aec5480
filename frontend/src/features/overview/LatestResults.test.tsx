import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { LatestResult } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { LatestResults } from "./LatestResults";

vi.mock("@tanstack/react-router", () => ({ Link: "a" }));

const result = {
  run_id: 1,
  campaign_id: 1,
  name: "Acceptance",
  title: "Read",
  kind: "read",
  host: { id: 1, name: "alpha" },
  target: null,
  headline: "2.91 GB/s with one reader and 1 MiB blocks; more threads don't help",
  headline_bps: 2.91e9,
  best_bps: 2.95e9,
  sparkline: [],
  ended_at: null,
} as LatestResult;

it("names one rate, that of the setting in the sentence", () => {
  rendered(<LatestResults latest={[result]} />);
  const row = screen.getByRole("listitem");
  expect(row.textContent?.match(/[\d.]+\s[kMGT]?B\/s/g)).toEqual(["2.91 GB/s"]);
  expect(row.textContent).toContain("With one reader and 1 MiB blocks; more threads don't help");
});

it.each([
  ["no sample", []],
  ["one sample", [2.9e9]],
  ["many samples", [2.9e9, 3e9]],
])("has a place for the course of a trial of %s", (_, sparkline) => {
  rendered(<LatestResults latest={[{ ...result, sparkline }]} />);
  const line = screen.getByRole("img", { name: "Throughput of the best trial of Read" });
  expect(line.outerHTML).not.toContain("NaN");
});
