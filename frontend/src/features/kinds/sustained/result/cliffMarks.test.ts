import { expect, it } from "vitest";
import type { CliffLevels } from "@/features/kinds/sustained/shapes";
import { cliffMarks } from "./cliffMarks";

const CLIFF = {
  at_ns: 8.5e9,
  at_bytes: 3e9,
  before_bytes_per_s: 3.5e8,
  before_bytes: 3e9,
  before_ns: 8.5e9,
  after_bytes_per_s: 6e7,
  change: 0.83,
  changed_again: false,
} as CliffLevels;

it("marks a cliff at its time or at its data, with the name of its trial", () => {
  const cliffs = [
    { name: "A", cliff: null },
    { name: "B", cliff: CLIFF },
  ];
  const [inTime] = cliffMarks(
    cliffs,
    { over: "time", axis: { unit: "s", size: 1e9 }, end: 60e9 },
    "MB/s",
  );
  expect(inTime).toMatchObject({ at: 8.5, label: "B: cliff" });
  expect(inTime?.sentence).toMatch(/^B: cliff: 350\sMB\/s for 3.00\sGB/);
  const [inData] = cliffMarks(
    cliffs,
    { over: "data", axis: { unit: "GB", size: 1e9 }, end: 6e9 },
    "MB/s",
  );
  expect(inData?.at).toBe(3);
});
