/**
 * The model of a drawn grid. It contains the final texts, colors and marks, so that one component
 * can draw matrices of rates and of ratios.
 */

export type CellState = "empty" | "running" | "partial" | "done" | "failed" | "inconclusive";

/** A warning about a value: a letter in a shape, with the reason. */
export interface Badge {
  letter: string;
  shape: "square" | "circle" | "diamond";
  word: string;
  reason: string;
}

export interface GridCell {
  key: string;
  state: CellState;
  /** The figure without its unit, which the grid names once. */
  text: string;
  /** A second, small line: repeats done, a bound, a failure. */
  note: string | null;
  /** Fill as hex; null leaves the surface. */
  fill: string | null;
  best: boolean;
  withinNoise: boolean;
  badge: Badge | null;
  /** A description of the cell, for the readout and screen readers. */
  sentence: string;
}

export interface GridHeader {
  key: string;
  label: string;
}

export interface Grid {
  rowTitle: string;
  columnTitle: string;
  columns: GridHeader[];
  rows: (GridHeader & { cells: GridCell[] })[];
}

export interface Place {
  row: number;
  column: number;
}

/** Return the cell that a key moves to, inside the grid; null if the key does not move. */
export function moved(grid: Grid, from: Place, key: string, control: boolean): Place | null {
  const last = { row: grid.rows.length - 1, column: grid.columns.length - 1 };
  const to = (row: number, column: number): Place => ({
    row: Math.min(last.row, Math.max(0, row)),
    column: Math.min(last.column, Math.max(0, column)),
  });
  switch (key) {
    case "ArrowUp":
      return to(control ? 0 : from.row - 1, from.column);
    case "ArrowDown":
      return to(control ? last.row : from.row + 1, from.column);
    case "ArrowLeft":
      return to(from.row, control ? 0 : from.column - 1);
    case "ArrowRight":
      return to(from.row, control ? last.column : from.column + 1);
    case "Home":
      return to(control ? 0 : from.row, 0);
    case "End":
      return to(control ? last.row : from.row, last.column);
    default:
      return null;
  }
}

export function cellAt(grid: Grid, place: Place): GridCell | null {
  return grid.rows[place.row]?.cells[place.column] ?? null;
}

export function placeOf(grid: Grid, matches: (cell: GridCell) => boolean): Place | null {
  for (const [row, { cells }] of grid.rows.entries()) {
    const column = cells.findIndex(matches);
    if (column >= 0) return { row, column };
  }
  return null;
}
