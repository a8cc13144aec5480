import { describe, expect, it } from "vitest";
import type { Line } from "./figure";
import { stripsFigure } from "./strips";
import { palette } from "./testPalette";

const options = { palette, xTitle: "Time (s)", revision: "cell" };
const line = (name: string, y: Line["y"], more: Partial<Line> = {}): Line => ({
  name,
  style: 0,
  x: [1, 2],
  y,
  stacked: true,
  label: name,
  ...more,
});
const cpu = (lines: Line[], max?: number) => ({ title: "CPU", unit: "%", height: 80, lines, max });

describe("stacked lines", () => {
  const { traces, layout, plot } = stripsFigure(
    [
      cpu([
        line("user", [10, 20]),
        line("busiest core", [90, 95], { stacked: false }),
        line("system", [30, null]),
      ]),
    ],
    options,
  );
  const yOf = (name: string) => traces.find((trace) => trace.name === name)?.y;

  it("are drawn one upon the other, without the lines that are not stacked", () => {
    expect(yOf("user")).toEqual([10, 20]);
    expect(yOf("system")).toEqual([40, 20]);
    expect(yOf("busiest core")).toEqual([90, 95]);
    expect(yOf("system, lower edge")).toEqual([10, 20]);
  });

  it("keep their own values for the cursor", () => {
    expect(plot.strips[0]?.lines.map(({ y }) => y)).toEqual([
      [10, 20],
      [90, 95],
      [30, null],
    ]);
  });

  it("have their labels in the middle of their areas", () => {
    const label = (layout.annotations as { text: string; y: number }[]).find(
      ({ text }) => text === "user",
    );
    expect(label?.y).toBe(10);
  });

  it("raise the axis to their sum", () => {
    const { layout: high } = stripsFigure(
      [cpu([line("user", [60, 60]), line("system", [30, 30])])],
      options,
    );
    expect((high.yaxis as { range: [number, number] }).range[1]).toBeGreaterThan(90);
  });
});
