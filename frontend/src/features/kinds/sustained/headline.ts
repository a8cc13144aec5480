import {
  formatBlock,
  formatBytes,
  formatDuration,
  formatLatency,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import {
  doubtWords,
  type HeadlineParts,
  noResultWords,
  restSentence,
} from "@/features/kinds/headline";
import { spanText } from "@/features/parameters/parse";
import type {
  CliffLevels,
  Shaped,
  SustainedCell,
  SustainedHeadline,
  SustainedParameters,
} from "./shapes";
import { timeWords } from "./words";

/** "2.10 GB/s for 61.0 GB (6 min 52 s), then 340 MB/s (−84 %)" */
export function cliffWords(cliff: CliffLevels, unit: RateUnit): string {
  const sign = cliff.change > 0 ? "\u2212" : "+";
  return (
    `${formatRate(cliff.before_bytes_per_s, unit)} for ${formatBytes(cliff.before_bytes)} ` +
    `(${formatDuration(cliff.before_ns / 1e9)}), then ${formatRate(cliff.after_bytes_per_s, unit)} ` +
    `(${sign}${Math.round(Math.abs(cliff.change) * 100)}\u00a0%)`
  );
}

/** "a steady decline by 40 % of the mean", "a sawtooth of 40 % of the mean every 20 s" */
export function shapeWords({ shape, change, period_ns }: Shaped): string {
  const share = `${Math.round(Math.abs(change) * 100)}\u00a0% of the mean`;
  return shape === "sawtooth"
    ? `a sawtooth of ${share} every ${formatDuration((period_ns ?? 0) / 1e9)}`
    : `a steady ${shape} by ${share}`;
}

type Figure = NonNullable<SustainedHeadline["figure"]>;

/** "durable over 1.00 TB, no cliff within 1.00 TB; carries 10 Gb/s with 61.0 MB of buffer" */
function restWords(headline: SustainedHeadline, unit: RateUnit) {
  const { figure, operation } = headline;
  if (figure === null) return "";
  const rate = operation === "read" ? "read" : figure.rate;
  if (operation !== "both") return figureWords(figure, rate, headline, unit);
  const { reads } = headline;
  const ingest = `${figureWords(figure, `${rate} ingest`, headline, unit)}`;
  if (!reads) return `${ingest}; playout without a reliable result`;
  const doubt = doubtWords(reads.served_by);
  const reached = reachedWords(reads, unit);
  const playout = `${reached} ${figureWords(reads, "playout", { ...headline, sweet_spot: null }, unit)}`;
  return `${ingest}; ${doubt ? `${doubt.toLowerCase()}: ` : ""}${playout}`;
}

/** A figure's rate, or both levels of its cliff. */
const reachedWords = ({ levels, bytes_per_s }: Figure, unit: RateUnit): string =>
  levels ? cliffWords(levels, unit) : formatRate(bytes_per_s ?? 0, unit);

/** What follows a figure; `rate` names it. */
function figureWords(
  figure: Figure,
  rate: string,
  { operation, sweet_spot, participants }: SustainedHeadline,
  unit: RateUnit,
): string {
  const parts = [rate];
  if (figure.levels === null) parts.push(`over ${formatBytes(figure.bytes)}`);
  if (participants > 1) parts.push(`on ${participants} targets together`);
  let words = parts.join(" ");
  if (figure.no_cliff_within_bytes !== null) {
    words += `, no cliff within ${formatBytes(figure.no_cliff_within_bytes)}`;
  }
  if (figure.shape) words += `, ${shapeWords(figure.shape)}`;
  if (figure.carried) {
    const { label, buffer_bytes } = figure.carried;
    const buffer = buffer_bytes > 0 ? ` with ${formatBytes(buffer_bytes)} of buffer` : "";
    const evenly = participants > 1 ? " spread evenly" : "";
    words += `; carries ${label}${evenly}${buffer}`;
  }
  if (sweet_spot) {
    words += `; sweet spot ${formatRate(sweet_spot.bytes_per_s, unit)} with a peak ${timeWords(operation === "read" ? "read" : "write")} of ${formatLatency(sweet_spot.peak_ns)}`;
  }
  return figure.served_by === "unknown" ? `${words} (served by: unknown)` : words;
}

/** The text before and after a headline's figure; null if it has no single figure. */
export function headlineParts(headline: SustainedHeadline, unit: RateUnit): HeadlineParts | null {
  const { figure } = headline;
  if (figure === null || figure.bytes_per_s === null) return null;
  const doubt = doubtWords(figure.served_by);
  return { doubt, bytesPerS: figure.bytes_per_s, rest: restWords(headline, unit) };
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: SustainedHeadline, unit: RateUnit): string {
  const { figure, no_result } = headline;
  if (figure === null) return `No result: ${noResultWords(no_result)}.`;
  const sentence = `${reachedWords(figure, unit)} ${restWords(headline, unit)}`;
  const doubt = doubtWords(figure.served_by);
  return doubt ? `${doubt}: ${sentence}` : sentence;
}

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: SustainedHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline, unit);
  return parts === null ? headlineWords(headline, unit) : restSentence(parts);
}

type Setting = Pick<SustainedParameters, "block"> & {
  rate_bytes_per_s: number | null;
  burst_blocks: number | null;
  idle_ms?: number;
};

/** The words of a cell; reads beside writes may have a pace of their own. */
export const cellWords = (cell: SustainedCell): string =>
  trialWords(
    cell.paced_apart
      ? { ...cell, rate_bytes_per_s: cell.offered_bytes_per_s, burst_blocks: null }
      : cell,
  );

/** "800 kB blocks at 125 MB/s" */
export function trialWords({ block, rate_bytes_per_s, burst_blocks, idle_ms }: Setting): string {
  let words = `${formatBlock(block)} blocks`;
  if (rate_bytes_per_s) words += ` at ${formatRate(rate_bytes_per_s, "MB/s")}`;
  else if (burst_blocks) words += ` in bursts of ${burst_blocks}`;
  return idle_ms ? `${words} after ${spanText(idle_ms)} of rest` : words;
}
