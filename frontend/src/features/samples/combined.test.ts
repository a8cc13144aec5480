import { describe, expect, it } from "vitest";
import type { Strip } from "@/charts/figure";
import { gathered } from "./combined";

const stripOf = (...levels: number[]): Strip => ({
  title: "Throughput",
  unit: "MB/s",
  height: 180,
  lines: levels.map((level, index) => ({
    name: `repeat ${index + 1}`,
    label: `repeat ${index + 1}`,
    style: index,
    x: [0, 1, 2],
    y: [level, level, level],
    stepped: true,
  })),
});

describe("repeats in one strip", () => {
  it("have a line each if there are few", () => {
    const few = stripOf(1, 2, 3, 4, 5);
    expect(gathered(few, "repeat 1")).toBe(few);
  });

  it("are a median, a band and the selected one from six on", () => {
    const { lines } = gathered(stripOf(10, 20, 30, 40, 50, 60), "repeat 2");
    expect(lines.map(({ name }) => name)).toEqual(["median of 6 repeats", "repeat 2"]);
    expect(lines[0]?.y[50]).toBe(35);
    expect([lines[0]?.band?.low[50], lines[0]?.band?.high[50]]).toEqual([10, 60]);
  });
});
