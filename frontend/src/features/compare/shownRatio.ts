import type { Comparison } from "@/api/shapes";
import { findCell, type Reading, valueIn } from "@/features/matrix/reading";

export type Ratio = NonNullable<Comparison["ratio"]>;

/**
 * A ÷ B of the statistic that is shown. The API's own ratio is of the means; so is its test, which
 * stays: whether the repeats tell A from B does not depend on how they are summed up.
 */
export function shownRatio({ runs, ratio }: Comparison, reading: Reading): Ratio | null {
  if (ratio === null) return null;
  const matrixOf = (id: number) => runs.find((run) => run.id === id)?.matrix;
  const [a, b] = [matrixOf(ratio.a), matrixOf(ratio.b)];
  return {
    ...ratio,
    cells: ratio.cells.map((cell) => {
      const [ours, theirs] = [a, b].map((matrix) => {
        const found = matrix && findCell(matrix, cell);
        return found ? valueIn(found, reading) : null;
      });
      const shown = ours != null && theirs ? ours / theirs : null;
      return { ...cell, [reading.rate]: shown };
    }),
  };
}
