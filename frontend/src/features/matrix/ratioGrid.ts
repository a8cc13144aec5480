import type { Comparison } from "@/api/shapes";
import { diverging, ratioSpan } from "@/charts/colour";
import type { Grid, GridCell } from "@/charts/grid";
import { formatBlock } from "@/components/quantities";
import { placeWords } from "./matrixGrid";
import { type CellKey, cellName, type Reading } from "./reading";

type Ratio = NonNullable<Comparison["ratio"]>;
type RatioCell = Ratio["cells"][number];

/**
 * Lays A ÷ B out as a grid over the cells that both runs have. Differences that the repeats do not
 * prove are hatched, as cells within noise are in a matrix.
 */
export function ratioGrid(ratio: Ratio, rate: Reading["rate"], names: [string, string]): Grid {
  const cells = new Map(ratio.cells.map((cell) => [cellName(cell), cell]));
  const span = ratioSpan(ratio.cells.map((cell) => cell[rate]));
  const threads = ascending(ratio.cells.map((cell) => cell.threads));
  return {
    rowTitle: "Block",
    columnTitle: "Threads",
    columns: threads.map((each) => ({ key: String(each), label: String(each) })),
    rows: ascending(ratio.cells.map((cell) => cell.block)).map((block) => ({
      key: String(block),
      label: formatBlock(block),
      cells: threads.map((each) => {
        const key = { block, threads: each };
        return ratioCell(cells.get(cellName(key)) ?? null, cellName(key), rate, span, names, key);
      }),
    })),
  };
}

function ratioCell(
  cell: RatioCell | null,
  key: string,
  rate: Reading["rate"],
  span: number,
  [a, b]: [string, string],
  place: CellKey,
): GridCell {
  const ratio = cell?.[rate] ?? null;
  const where = placeWords(place);
  const shared = { key, note: null, best: false, badge: null };
  if (cell === null || ratio === null) {
    const sentence = `${where}: not measured in both runs`;
    return { ...shared, state: "empty", text: "–", fill: null, withinNoise: false, sentence };
  }
  return {
    ...shared,
    state: "done",
    text: ratioText(ratio),
    fill: diverging(ratio, span),
    withinNoise: !cell.significant,
    sentence: `${where}: ${a} is ${ratioWords(ratio)} ${b}${cell.significant ? "" : "; within noise"}`,
  };
}

/** "1.24×" */
export const ratioText = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 1)}×`;

function ratioWords(ratio: number): string {
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  if (percent === 0) return "level with";
  if (ratio >= 2) return `${ratio.toFixed(1)} times as fast as`;
  return `${percent}\u00a0% ${ratio > 1 ? "faster" : "slower"} than`;
}

const ascending = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
