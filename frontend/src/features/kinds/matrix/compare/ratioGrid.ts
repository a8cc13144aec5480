import { diverging, ratioSpan } from "@/charts/color";
import type { Grid, GridCell } from "@/charts/grid";
import { formatBlock } from "@/components/quantities";
import { fasterWords } from "@/features/compare/ratioWords";
import { placeWords } from "@/features/kinds/matrix/matrixGrid";
import { type CellKey, cellName } from "@/features/kinds/matrix/reading";
import type { MatrixComparison, RateKind } from "@/features/kinds/matrix/shapes";

type Ratio = NonNullable<MatrixComparison["outcome"]>["ratio"];
type RatioCell = Ratio["cells"][number];

/**
 * Lays A ÷ B out as a grid over the cells that both runs have. Differences that the repeats do not
 * prove are hatched, as cells within noise are in a matrix. Of `cliffs`, cells by name in which
 * either rate changed permanently, nothing is called faster: their means were never reached.
 */
export function ratioGrid(
  ratio: Ratio,
  rate: RateKind,
  names: [string, string],
  cliffs: ReadonlySet<string> = new Set(),
): Grid {
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
        const place = { block, threads: each };
        const cell = cells.get(cellName(place));
        const value = cell?.[rate] ?? null;
        return cell && value !== null
          ? ratioCell(
              place,
              value,
              cliffs.has(cellName(cell)) ? "cliff" : standingOf(cell, rate),
              span,
              names,
            )
          : unmeasuredCell(place);
      }),
    })),
  };
}

function ratioCell(
  place: CellKey,
  ratio: number,
  standing: Standing,
  span: number,
  [a, b]: [string, string],
): GridCell {
  const cliff = standing === "cliff";
  const sentence = `${placeWords(place)}: ${a} is ${ratioWords(ratio)} ${b}`;
  return {
    key: cellName(place),
    state: "done",
    text: ratioText(ratio),
    note: cliff ? "cliff" : standing === "too few repeats to tell" ? "too few" : null,
    fill: diverging(ratio, span),
    best: false,
    withinNoise: standing === "within noise",
    badge: null,
    sentence: cliff
      ? `${placeWords(place)}: ${ratioText(ratio)} by the means, but the rate changed permanently during a trial`
      : [sentence, standing].filter(Boolean).join("; "),
  };
}

const unmeasuredCell = (place: CellKey): GridCell => ({
  key: cellName(place),
  state: "empty",
  text: "–",
  note: null,
  fill: null,
  best: false,
  withinNoise: false,
  badge: null,
  sentence: `${placeWords(place)}: not measured in both runs`,
});

const LEVEL = 0.05;
const TOLERANCE = 0.03;

/** Why a ratio proves nothing; null where it does. */
type Standing = "within noise" | "too few repeats to tell" | "cliff" | null;

function standingOf(cell: RatioCell, rate: RateKind): Standing {
  if (cell[`${rate}_too_few_repeats`]) return "too few repeats to tell";
  return isProven(cell, rate) ? null : "within noise";
}

/** Whether the repeats tell A from B: Welch's test at 5 %, or 3 % apart where there are no repeats. */
export function isProven(cell: RatioCell, rate: RateKind): boolean {
  const p = rate === "durable" ? cell.durable_p : cell.application_p;
  if (p !== null) return p < LEVEL;
  const ratio = cell[rate];
  return ratio !== null && Math.min(ratio, 1 / ratio) < 1 - TOLERANCE;
}

/** "1.24×" */
export const ratioText = (ratio: number): string => `${ratio.toFixed(ratio < 10 ? 2 : 1)}×`;

const ratioWords = (ratio: number): string =>
  Math.round(Math.abs(ratio - 1) * 100) === 0 ? "level with" : fasterWords(ratio);

const ascending = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
