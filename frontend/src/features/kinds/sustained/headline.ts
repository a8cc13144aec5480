import {
  formatBlock,
  formatBytes,
  formatDuration,
  formatIops,
  formatLatency,
  formatRate,
  levelsWords,
  type RateUnit,
} from "@/components/quantities";
import {
  doubtWords,
  type HeadlineParts,
  noResultWords,
  restSentence,
} from "@/features/kinds/headline";
import { spanText } from "@/features/parameters/parse";
import { modeWords } from "./modes";
import type { Mode, Shaped, SustainedCell, SustainedHeadline, SustainedParameters } from "./shapes";
import { accessWords, timeWords } from "./words";

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
  if (isRandom(headline)) return randomWords(figure, headline, unit);
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

/** Whether operations per second are the figure of a result. */
const isRandom = ({ access, operation }: SustainedHeadline): boolean =>
  access === "random" && operation !== "both";

/**
 * "random read of 4 KiB blocks at queue depth 32 over a working set of 1.00 GB, p99 2.10 ms"; of a
 * mixed test with the figures of both directions.
 */
function randomWords(figure: Figure, headline: SustainedHeadline, unit: RateUnit): string {
  const { queue_depth = 1, working_set_bytes: workingSet, p99_ns: p99 } = figure;
  const parts = [`${accessWords(asAccess(headline))} of ${formatBlock(figure.block)} blocks`];
  if (queue_depth > 1) parts.push(`at queue depth ${queue_depth}`);
  if (workingSet) parts.push(`over a working set of ${formatBytes(workingSet)}`);
  if (headline.participants > 1) parts.push(`on ${headline.participants} targets together`);
  const found = [parts.join(" ")];
  const mode = modeWords(figure.mode ?? {});
  if (mode) found.push(mode);
  const directions = figure.directions ?? [];
  for (const { operation, iops, p99_ns } of directions) {
    if (iops === null) continue;
    const latency = p99_ns === null ? "" : ` with p99 ${formatLatency(p99_ns)}`;
    found.push(`${operation}s ${formatIops(iops)}${latency}`);
  }
  if (directions.length === 0 && p99 != null) found.push(`p99 ${formatLatency(p99)}`);
  if (figure.no_cliff_within_bytes !== null) {
    found.push(`no cliff within ${formatBytes(figure.no_cliff_within_bytes)}`);
  }
  if (figure.shape) found.push(shapeWords(figure.shape));
  const words = found.join(", ") + sweetSpotWords(headline, unit);
  return figure.served_by === "unknown" ? `${words} (served by: unknown)` : words;
}

const asAccess = ({ operation, access, read_percent }: SustainedHeadline) => ({
  operation: operation ?? "write",
  access: access ?? "sequential",
  read_percent: read_percent ?? null,
});

/** "; sweet spot 125 MB/s (direct I/O) with a peak write time of 16.0 ms" */
function sweetSpotWords({ sweet_spot, operation }: SustainedHeadline, unit: RateUnit): string {
  if (!sweet_spot) return "";
  const { iops, queue_depth = 1, bytes_per_s, peak_ns, mode } = sweet_spot;
  const depth = queue_depth > 1 && iops ? `${formatIops(iops)} at queue depth ${queue_depth}` : "";
  const cell = [depth, modeWords(mode ?? {})].filter(Boolean).join(", ");
  const rate = formatRate(bytes_per_s, unit) + (cell ? ` (${cell})` : "");
  const time = timeWords(operation === "read" || operation === "mixed" ? operation : "write");
  return `; sweet spot ${rate} with a peak ${time} of ${formatLatency(peak_ns)}`;
}

/** A figure's rate, or its levels. */
const reachedWords = ({ levels, bytes_per_s }: Figure, unit: RateUnit): string =>
  levels ? levelsWords(levels.held, unit) : formatRate(bytes_per_s ?? 0, unit);

/** What follows a figure; `rate` names it. */
function figureWords(
  figure: Figure,
  rate: string,
  headline: SustainedHeadline,
  unit: RateUnit,
): string {
  const { participants } = headline;
  const parts = [rate];
  if (figure.levels === null) parts.push(`over ${formatBytes(figure.bytes)}`);
  if (participants > 1) parts.push(`on ${participants} targets together`);
  const mode = modeWords(figure.mode ?? {});
  let words = [parts.join(" "), mode].filter(Boolean).join(", ");
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
  words += sweetSpotWords(headline, unit);
  return figure.served_by === "unknown" ? `${words} (served by: unknown)` : words;
}

/** The text before and after a headline's figure; null if it has no single figure. */
export function headlineParts(headline: SustainedHeadline, unit: RateUnit): HeadlineParts | null {
  const { figure } = headline;
  if (figure === null || figure.bytes_per_s === null) return null;
  const doubt = doubtWords(figure.served_by);
  const rest = restWords(headline, unit);
  const { bytes_per_s: bytesPerS, iops, rate } = figure;
  if (!isRandom(headline) || iops == null) return { doubt, bytesPerS, rest };
  const durable = rate === "durable" ? " durable" : "";
  return { doubt, bytesPerS, iops, rest: `(${formatRate(bytesPerS, unit)}${durable}) ${rest}` };
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: SustainedHeadline, unit: RateUnit): string {
  const { figure, no_result } = headline;
  if (figure === null) return `No result: ${noResultWords(no_result)}.`;
  const parts = headlineParts(headline, unit);
  const reached = parts?.iops === undefined ? reachedWords(figure, unit) : formatIops(parts.iops);
  const sentence = `${reached} ${parts?.rest ?? restWords(headline, unit)}`;
  const doubt = doubtWords(figure.served_by);
  return doubt ? `${doubt}: ${sentence}` : sentence;
}

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: SustainedHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline, unit);
  if (parts === null) return headlineWords(headline, unit);
  const { iops } = parts;
  if (iops === undefined) return restSentence(parts);
  return restSentence({ ...parts, rest: `${formatIops(iops)}, ${restWords(headline, unit)}` });
}

type Setting = Pick<SustainedParameters, "block"> & {
  rate_bytes_per_s: number | null;
  burst_blocks: number | null;
  idle_ms?: number;
  queue_depth?: number;
} & Partial<Mode>;

/** The words of a cell; reads beside writes may have a pace of their own. */
export const cellWords = (cell: SustainedCell, namesDepth = false): string =>
  trialWords(
    {
      ...cell,
      ...cell.mode,
      ...(cell.paced_apart
        ? { rate_bytes_per_s: cell.offered_bytes_per_s, burst_blocks: null }
        : {}),
    },
    namesDepth,
  );

/** "800 kB blocks at 125 MB/s"; `namesDepth` names a queue depth of 1, too, beside deeper ones. */
export function trialWords(setting: Setting, namesDepth = false): string {
  const { block, rate_bytes_per_s, burst_blocks, idle_ms, queue_depth = 1 } = setting;
  let words = `${formatBlock(block)} blocks`;
  if (queue_depth > 1 || namesDepth) words += `, queue depth ${queue_depth}`;
  if (rate_bytes_per_s) words += ` at ${formatRate(rate_bytes_per_s, "MB/s")}`;
  else if (burst_blocks) words += ` in bursts of ${burst_blocks}`;
  if (idle_ms) words += ` after ${spanText(idle_ms)} of rest`;
  return [words, modeWords(setting)].filter(Boolean).join(", ");
}
