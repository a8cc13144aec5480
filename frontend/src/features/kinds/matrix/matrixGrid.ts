import { upperFirst } from "@mantine/hooks";
import { cividis, positionOn, type Scale, scaleOf, widened } from "@/charts/color";
import type { Grid, GridCell } from "@/charts/grid";
import {
  formatBlock,
  formatDuration,
  formatRate,
  levelsWords,
  rateFigure,
  wordsText,
} from "@/components/quantities";
import {
  type CellKey,
  cellName,
  type Matrix,
  type MatrixCell,
  RATE_WORDS,
  type RateKind,
  type Reading,
  valueIn,
} from "./matrix";
import { badgeOf, FLAG_LOOKS, flagsOf, levelsOf } from "./signs";

interface MatrixGridOptions {
  /** A scale shared with other matrices. */
  scale?: Scale | null;
  /**
   * The cell being measured now, or null for none: newer than the matrix; by default from the
   * matrix.
   */
  running?: CellKey | null;
}

/**
 * Lays a run's matrix out as a grid: a row a block size, a column a thread count, as FileCatalyst
 * prints it.
 */
export function matrixGrid(
  matrix: Matrix,
  reading: Reading,
  options: MatrixGridOptions = {},
): Grid {
  const cells = new Map(matrix.cells.map((cell) => [cellName(cell), cell]));
  const scale = options.scale ?? matrixScale(matrix, reading);
  const running = options.running ? cellName(options.running) : null;
  return {
    rowTitle: "Block",
    columnTitle: "Threads",
    columns: matrix.axes.threads.map((threads) => ({
      key: String(threads),
      label: String(threads),
    })),
    rows: matrix.axes.block.map((block) => ({
      key: String(block),
      label: formatBlock(block),
      cells: matrix.axes.threads.map((threads) => {
        const cell = cells.get(cellName({ block, threads })) ?? emptyCell(block, threads);
        const told = options.running === undefined ? cell : asLeft(cell);
        return gridCell(told, reading, scale, running === cellName(cell));
      }),
    })),
  };
}

/** A cell without its current trial, which an older matrix may still show as running. */
function asLeft(cell: MatrixCell): MatrixCell {
  if (cell.state !== "running") return cell;
  return { ...cell, state: cell.repeats_done > 0 ? "partial" : "empty" };
}

/** The color scale that a matrix spans by itself. */
export function matrixScale(matrix: Matrix, reading: Pick<Reading, "rate" | "stat">): Scale | null {
  const scale = scaleOf(matrix.cells.map((cell) => valueIn(cell, reading)));
  return scale && widened(scale);
}

function gridCell(
  cell: MatrixCell,
  reading: Reading,
  scale: Scale | null,
  running: boolean,
): GridCell {
  const stat = cell[reading.rate];
  const value = valueIn(cell, reading);
  const badge = value === null ? null : badgeOf(cell.served_by?.[reading.rate], reading.unit);
  return {
    key: cellName(cell),
    state: running ? "running" : cell.state,
    text: value === null ? "–" : rateFigure(value, reading.unit),
    note: noteOf(cell, reading.rate, running),
    fill: value === null || scale === null ? null : cividis(positionOn(scale, value)),
    best: stat?.best ?? false,
    withinNoise: (stat?.within_noise ?? false) && !stat?.best,
    badge,
    sentence: sentencesOf(cell, reading, running),
  };
}

/** What the cell shows besides the figure: how complete it is, and its problems. */
function noteOf(cell: MatrixCell, rate: RateKind, running: boolean): string | null {
  const repeats = `${cell.repeats_done}/${cell.repeats_total}`;
  if (cell.state === "failed" || cell.state === "inconclusive") return cell.state;
  if (running) return repeats;
  if (cell.state === "partial" || cell.state === "running") return repeats;
  if (cell.trials.some((trial) => trial.bounded)) return "sync timeout";
  const flag = flagsOf(cell, rate)[0];
  return flag ? FLAG_LOOKS[flag.code].word : null;
}

/** Everything about a cell, for the readout line and for screen readers; one sentence per flag. */
function sentencesOf(cell: MatrixCell, reading: Reading, running = false): string {
  const found = `${placeWords(cell)}: ${findings(cell, reading, running)}`;
  const flags = flagsOf(cell, reading.rate);
  if (flags.length === 0) return found;
  const told = flags.map(
    ({ code, evidence }) => `${FLAG_LOOKS[code].word}: ${wordsText(evidence, reading.unit)}`,
  );
  return [found.replace(/\.?$/, "."), ...told.map(upperFirst)].join(" ");
}

/** "256 KiB × 2 threads" */
export const placeWords = ({ block, threads }: CellKey): string =>
  `${formatBlock(block)} × ${threads === 1 ? "1 thread" : `${threads} threads`}`;

/** What is known of a cell and what served it, in words; its flags are told apart. */
export function findings(cell: MatrixCell, reading: Reading, running = false): string {
  const value = valueIn(cell, reading);
  const stat = cell[reading.rate];
  if (value === null || stat === null) return absence(cell, running);
  const rate = formatRate(value, reading.unit);
  const levels = levelsOf(cell, reading.rate);
  const repeats = stat.n === 1 ? "single repeat" : `${reading.stat} of ${stat.n} repeats`;
  // with a cliff the mean was never reached: the levels come first
  const parts = levels
    ? [
        `${levelsWords(levels, reading.unit)} ${RATE_WORDS[reading.rate]}`,
        `${rate} overall, ${repeats}`,
      ]
    : [`${rate} ${RATE_WORDS[reading.rate]}, ${repeats}`];
  if (stat.best) parts.push("best cell");
  else if (stat.within_noise) parts.push("within noise of the best");
  else if (stat.too_few_repeats) parts.push("too few repeats to tell it from the best");
  if (running) parts.push("running");
  else if (cell.state === "partial") {
    parts.push(`${cell.repeats_done} of ${cell.repeats_total} repeats done`);
  }
  if (cell.trials.some((trial) => trial.bounded)) {
    parts.push("the final sync timed out, so the durable rate is an upper bound");
  }
  const { writeback } = cell;
  if (reading.rate === "durable" && writeback?.bytes_per_s) {
    const from = formatRate(writeback.bytes_per_s, reading.unit);
    const before = formatDuration(writeback.begins_ns / 1e9);
    parts.push(`${from} from the start of writeback, ${before} into the trial`);
  }
  const servedBy = cell.served_by?.[reading.rate];
  const badge = badgeOf(servedBy, reading.unit);
  if (badge) parts.push(`${badge.word}: ${badge.reason}`);
  const found = parts.join("; ");
  const exceeds =
    servedBy?.reason === "amplified" || servedBy?.reason === "others_or_amplification";
  return exceeds ? `${found}. ${wordsText(servedBy.evidence, reading.unit)}` : found;
}

function absence(cell: MatrixCell, running: boolean): string {
  if (running || cell.state === "running") return "running";
  if (cell.state === "failed") {
    const reason = cell.trials.find((trial) => trial.reason)?.reason;
    return reason ? `failed (${reason})` : "failed";
  }
  if (cell.state === "inconclusive") return "inconclusive";
  return "not measured";
}

const emptyCell = (block: number, threads: number): MatrixCell => ({
  block,
  threads,
  files: 1,
  state: "empty",
  repeats_done: 0,
  repeats_total: 0,
  repeats: [],
  durable: null,
  application: null,
  latency: null,
  served_by: null,
  flags: [],
  trials: [],
});
