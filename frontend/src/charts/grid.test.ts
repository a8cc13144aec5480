import { describe, expect, it } from "vitest";
import { cellAt, type Grid, type GridCell, moved, placeOf } from "./grid";

const cell = (key: string): GridCell => ({
  key,
  state: "done",
  text: key,
  note: null,
  fill: null,
  best: key === "b1",
  withinNoise: false,
  badge: null,
  sentence: key,
});

const grid: Grid = {
  rowTitle: "Block",
  columnTitle: "Threads",
  columns: ["1", "2", "3"].map((key) => ({ key, label: key })),
  rows: ["a", "b"].map((key) => ({
    key,
    label: key,
    cells: ["1", "2", "3"].map((column) => cell(key + column)),
  })),
};

describe("moving in a grid", () => {
  it("moves one cell by arrow and stays inside at the edges", () => {
    expect(moved(grid, { row: 0, column: 0 }, "ArrowRight", false)).toEqual({ row: 0, column: 1 });
    expect(moved(grid, { row: 1, column: 2 }, "ArrowDown", false)).toEqual({ row: 1, column: 2 });
    expect(moved(grid, { row: 0, column: 0 }, "ArrowLeft", false)).toEqual({ row: 0, column: 0 });
  });

  it("moves to a row's ends by Home and End, to the corners with Control", () => {
    expect(moved(grid, { row: 1, column: 1 }, "Home", false)).toEqual({ row: 1, column: 0 });
    expect(moved(grid, { row: 0, column: 1 }, "End", true)).toEqual({ row: 1, column: 2 });
  });

  it("moves to the end of a row or column by arrow with Control", () => {
    const ends = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) =>
      moved(grid, { row: key === "ArrowUp" ? 1 : 0, column: 1 }, key, true),
    );
    expect(ends).toEqual([
      { row: 0, column: 1 },
      { row: 1, column: 1 },
      { row: 0, column: 0 },
      { row: 0, column: 2 },
    ]);
  });

  it("ignores other keys", () => {
    expect(moved(grid, { row: 0, column: 0 }, "x", false)).toBeNull();
  });
});

describe("finding a cell", () => {
  it("returns the position of the first match and the cell at a position", () => {
    expect(placeOf(grid, (candidate) => candidate.best)).toEqual({ row: 1, column: 0 });
    expect(cellAt(grid, { row: 0, column: 2 })?.key).toBe("a3");
    expect(cellAt(grid, { row: 9, column: 0 })).toBeNull();
  });
});
