import { describe, expect, it } from "vitest";
import { cursorAt, timeAt, valueAt, valueAtPlace } from "./Cursor";

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

  it("stands at the nearest place of an axis that has only places, in its words", () => {
    const places = [
      { at: 0, text: "1" },
      { at: 3, text: "8" },
      { at: 5, text: "32" },
    ];
    const at = (pixels: number, range: [number, number] = [0, 5]) =>
      cursorAt(pixels, { ...plot, places }, 200, range);
    expect(at(60)).toEqual({ pixels: 50, time: 0, text: "1" });
    expect(at(100)).toEqual({ pixels: 110, time: 3, text: "8" });
    expect(at(149)).toEqual({ pixels: 150, time: 5, text: "32" });
    expect(at(60, [2, 4])).toEqual({ pixels: 100, time: 3, text: "8" });
    expect(at(60, [1, 2])).toBeNull();
    expect(at(20)).toBeNull();
    expect(cursorAt(100, plot, 200, [0, 5])).toEqual({ pixels: 100, time: 2.5, text: "2.50" });
  });

  it("shows no value at a place that a line does not have", () => {
    const line = { x: [0, 5], y: [10, 30] };
    expect([0, 3, 5].map((at) => valueAtPlace(line, at))).toEqual([10, null, 30]);
  });
});
