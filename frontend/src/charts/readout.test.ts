import { describe, expect, it } from "vitest";
import { timeAt, valueAt } from "./readout";

describe("the cursor", () => {
  const plot = { left: 50, right: 50 };

  it("has the time below it, also on a zoomed axis, and none outside the plot", () => {
    expect(timeAt(100, plot, 200, [0, 10])).toBe(5);
    expect(timeAt(100, plot, 200, [4, 6])).toBe(5);
    expect(timeAt(20, plot, 200, [0, 10])).toBeNull();
    expect(timeAt(190, plot, 200, [0, 10])).toBeNull();
  });

  it("shows the value of its interval, gaps as gaps, and nothing outside the line", () => {
    const line = { x: [0, 1, 2, 3], y: [10, 10, null, 30] };
    expect([0.5, 1, 1.5, 2.5, 3, 3.1, -1].map((time) => valueAt(line, time))).toEqual([
      10,
      10,
      null,
      30,
      30,
      null,
      null,
    ]);
  });
});
