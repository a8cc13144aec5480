import type { DataTable, Value } from "@/charts/dataTable";
import { formatBlock, rateIn } from "@/components/quantities";
import { letterOf } from "@/features/compare/letters";
import { pairsOf } from "@/features/compare/pairs";
import { cellName, findCell, type Reading, valueIn } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";
import { type Ratio, shownRatio } from "./shownRatio";

/** Every cell that any of the runs has, a line each, with a column a run and the ratio of the first to each other one. */
export function comparedCells(comparison: MatrixComparison, reading: Reading): DataTable {
  const { runs } = comparison;
  const ratios = pairsOf(comparison).map((pair) => shownRatio(comparison, pair, reading));
  const keys = new Map(
    runs.flatMap(({ result }) =>
      result.cells.map(({ block, threads }) => [cellName({ block, threads }), { block, threads }]),
    ),
  );
  const cells = [...keys.values()].sort((a, b) => a.block - b.block || a.threads - b.threads);
  const ratioOf = (ratio: Ratio, cell: string): number | null =>
    ratio.cells.find((one) => cellName(one) === cell)?.[reading.rate] ?? null;
  const letter = (id: number) => letterOf(runs.findIndex((run) => run.id === id));
  return {
    columns: [
      "Block size",
      "Threads",
      ...runs.map(
        (_, index) => `${letterOf(index)}, ${reading.stat} ${reading.rate} (${reading.unit})`,
      ),
      ...ratios.map(({ a, b }) => `${letter(a)} ÷ ${letter(b)}`),
    ],
    rows: cells.map((key): Value[] => [
      formatBlock(key.block).replace("\u00a0", " "),
      key.threads,
      ...runs.map(({ result }): Value => {
        const cell = findCell(result, key);
        const bytesPerS = cell ? valueIn(cell, reading) : null;
        return bytesPerS === null ? null : Number(rateIn(bytesPerS, reading.unit).toPrecision(5));
      }),
      ...ratios.map((ratio) => rounded(ratioOf(ratio, cellName(key)))),
    ]),
  };
}

const rounded = (ratio: number | null): Value =>
  ratio === null ? null : Number(ratio.toPrecision(4));
