/**
 * A grid of cells as it is drawn: every text, color and mark is already decided, so that the same
 * table shows a matrix of rates, a small multiple of it, or a matrix of ratios.
 */

export type CellState = "empty" | "running" | "partial" | "done" | "failed" | "inconclusive";

/** A letter in a shape that warns about a value, with the reason in words. */
export interface Badge {
  letter: string;
  shape: "square" | "circle" | "diamond";
  word: string;
  reason: string;
}

export interface GridCell {
  key: string;
  state: CellState;
  /** The figure, without its unit (the grid names that once). */
  text: string;
  /** A second, small line: repeats done, a bound, a failure. */
  note: string | null;
  /** Fill as hex; null leaves the surface. */
  fill: string | null;
  best: boolean;
  withinNoise: boolean;
  badge: Badge | null;
  /** Everything about the cell in words, for the readout and screen readers. */
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

/** Where a key leads from a place, inside the grid; null when the key does not move. */
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
