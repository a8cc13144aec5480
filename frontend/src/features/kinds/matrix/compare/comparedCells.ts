import type { DataTable, Value } from "@/charts/dataTable";
import { formatBlock, rateIn } from "@/components/quantities";
import { letterOf } from "@/features/compare/letters";
import { cellName, findCell, type Reading, valueIn } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";
import { shownRatio } from "./shownRatio";

/** Every cell that any of the runs has, a line each, with a column a run and the ratio of the two compared. */
export function comparedCells(comparison: MatrixComparison, reading: Reading): DataTable {
  const { runs } = comparison;
  const ratio = shownRatio(comparison, reading);
  const keys = new Map(
    runs.flatMap(({ result }) =>
      result.cells.map(({ block, threads }) => [cellName({ block, threads }), { block, threads }]),
    ),
  );
  const cells = [...keys.values()].sort((a, b) => a.block - b.block || a.threads - b.threads);
  const ratios = new Map(ratio?.cells.map((cell) => [cellName(cell), cell[reading.rate]]));
  const letter = (id: number) => letterOf(runs.findIndex((run) => run.id === id));
  return {
    columns: [
      "Block size",
      "Threads",
      ...runs.map((_, index) => `${letterOf(index)} (${reading.unit})`),
      ...(ratio ? [`${letter(ratio.a)} ÷ ${letter(ratio.b)}`] : []),
    ],
    rows: cells.map((key): Value[] => [
      formatBlock(key.block).replace("\u00a0", " "),
      key.threads,
      ...runs.map(({ result }): Value => {
        const cell = findCell(result, key);
        const bytesPerS = cell ? valueIn(cell, reading) : null;
        return bytesPerS === null ? null : Number(rateIn(bytesPerS, reading.unit).toPrecision(5));
      }),
      ...(ratio ? [rounded(ratios.get(cellName(key)) ?? null)] : []),
    ]),
  };
}

const rounded = (ratio: number | null): Value =>
  ratio === null ? null : Number(ratio.toPrecision(4));
