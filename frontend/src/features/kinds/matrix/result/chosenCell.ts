import { findCell, parseCell, type Reading } from "@/features/kinds/matrix/reading";
import type { Matrix, MatrixCell } from "@/features/kinds/matrix/shapes";

/** The cell whose detail is open: the one that the address names, else the best, else any that began. */
export function chosenCell(
  matrix: Matrix,
  named: string | null | undefined,
  { rate }: Pick<Reading, "rate">,
): MatrixCell | null {
  return (
    findCell(matrix, named ? parseCell(named) : null) ??
    findCell(matrix, matrix.best[rate]) ??
    matrix.cells.find(({ state }) => state !== "empty") ??
    null
  );
}
