import { findCell, type Reading, valueIn } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";

/** How two of the runs compare. */
type Pair = NonNullable<MatrixComparison["outcome"]>;

export type Ratio = Pair["ratio"];

/**
 * Return A ÷ B of the selected statistic. The API's ratio is of the means, and so is its
 * significance test, which is kept: it does not depend on the statistic shown.
 */
export function shownRatio(
  { runs }: Pick<MatrixComparison, "runs">,
  { ratio }: Pick<Pair, "ratio">,
  reading: Reading,
): Ratio {
  const matrixOf = (id: number) => runs.find((run) => run.id === id)?.result;
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

/** Say why no cell of the two runs is compared; null when at least one is. */
export function whyNothingCompares(
  { runs }: MatrixComparison,
  ratio: Ratio,
  reading: Reading,
): string | null {
  if (ratio.cells.some((cell) => cell[reading.rate] !== null)) return null;
  const [a, b] = [ratio.a, ratio.b].map((id) => runs.find((run) => run.id === id)?.result);
  const measured = a?.cells.filter((cell) => valueIn(cell, reading) !== null) ?? [];
  const isInBoth = measured.some((cell) => {
    const other = b && findCell(b, cell);
    return other ? valueIn(other, reading) !== null : false;
  });
  return isInBoth
    ? `No cell can be compared: in each cell that both runs measured, the ${reading.rate} rate of at least one run has caveats.`
    : `No cell can be compared: the runs have no cell with a ${reading.rate} rate in common.`;
}
