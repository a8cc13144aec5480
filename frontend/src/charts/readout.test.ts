import { describe, expect, it } from "vitest";
import { timeAt, valueAt } from "./readout";

describe("the cursor", () => {
  const plot = { left: 50, right: 50 };

  it("knows the time under it, also when the axis is zoomed, and none beside the plot", () => {
    expect(timeAt(100, plot, 200, [0, 10])).toBe(5);
    expect(timeAt(100, plot, 200, [4, 6])).toBe(5);
    expect(timeAt(20, plot, 200, [0, 10])).toBeNull();
    expect(timeAt(190, plot, 200, [0, 10])).toBeNull();
  });

  it("reads the interval that it stands in, a gap as a gap, and nothing outside of the line", () => {
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
