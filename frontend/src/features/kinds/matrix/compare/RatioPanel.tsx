import { diverging, ratioSpan } from "@/charts/color";
import type { Grid, GridCell } from "@/charts/grid";
import { HeatGrid } from "@/charts/HeatGrid";
import { figure, formatBlock } from "@/components/quantities";
import { letterOf } from "@/features/compare/ComparisonParts";
import legend from "@/features/kinds/matrix/Matrix.module.css";
import { ColorKey } from "@/features/kinds/matrix/MatrixHeatmap";
import {
  type CellKey,
  type ComparedMatrices,
  cellName,
  findCell,
  RATE_WORDS,
  type RateKind,
  type Reading,
  valueIn,
} from "@/features/kinds/matrix/matrix";
import { placeWords } from "@/features/kinds/matrix/matrixGrid";
import { cellsWithCliff } from "@/features/kinds/matrix/signs";

interface RatioPanelProps {
  comparison: ComparedMatrices;
  ratio: Ratio;
  reading: Reading;
  selected: string | null;
  onSelect: (cell: string) => void;
}

const STEPS = [-1, -0.66, -0.33, 0, 0.33, 0.66, 1];

/** A versus B by cell: white is equal, orange where A is faster, blue where it is slower. */
export function RatioPanel({ comparison, ratio, reading, selected, onSelect }: RatioPanelProps) {
  const nothing = whyNothingCompares(comparison, ratio, reading);
  if (nothing) return <p>{nothing}</p>;
  const letter = (id: number) => letterOf(comparison.runs.findIndex((run) => run.id === id));
  const names: [string, string] = [letter(ratio.a), letter(ratio.b)];
  const span = ratioSpan(ratio.cells.map((cell) => cell[reading.rate]));
  const unproven = ratio.cells.some(
    (cell) => cell[reading.rate] !== null && !isProven(cell, reading.rate),
  );
  const cliffs = comparison.runs
    .filter((run) => run.id === ratio.a || run.id === ratio.b)
    .flatMap((run) => cellsWithCliff(run.result, reading.rate));
  return (
    <>
      <HeatGrid
        grid={ratioGrid(ratio, reading.rate, names, new Set(cliffs))}
        caption={`Ratio ${names[0]} ÷ ${names[1]} of the ${reading.stat} ${RATE_WORDS[reading.rate]} rates, by block size and threads`}
        selected={selected}
        onSelect={onSelect}
        compact
      />
      <div className={legend.legend}>
        <ColorKey
          colors={STEPS.map((step) => diverging(2 ** (step * span), span))}
          low={`${names[0]} slower ${ratioText(2 ** -span)}`}
          middle="white is 1×"
          high={`${ratioText(2 ** span)} faster`}
        />
        {unproven ? (
          <span className={legend.item}>
            <span className={legend.noise} aria-hidden="true" />
            difference within noise
          </span>
        ) : null}
      </div>
    </>
  );
}

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

/** "42 % faster than", "2.10 times as fast as", "level with" */
function ratioWords(ratio: number): string {
  const percent = Math.round(Math.abs(ratio - 1) * 100);
  if (percent === 0) return "level with";
  if (ratio >= 2) return `${figure(ratio)} times as fast as`;
  const amount = percent > 99 ? "over 99" : String(percent);
  return `${amount}\u00a0% ${ratio > 1 ? "faster" : "slower"} than`;
}

const ascending = (values: number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

/** How two of the runs compare. */
type Pair = NonNullable<ComparedMatrices["outcome"]>;

export type Ratio = Pair["ratio"];

/**
 * Return A ÷ B of the selected statistic. The API's ratio is of the means, and so is its
 * significance test, which is kept: it does not depend on the statistic shown.
 */
export function shownRatio(
  { runs }: Pick<ComparedMatrices, "runs">,
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
  { runs }: ComparedMatrices,
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
