import { upperFirst } from "@mantine/hooks";
import {
  formatBytes,
  formatDuration,
  formatLatency,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import type { CliffLevels, SustainedHeadline, SustainedParameters } from "./shapes";

type Figure = NonNullable<SustainedHeadline["figure"]>;

const NO_RESULT: Partial<Record<NonNullable<SustainedHeadline["no_result"]>, string>> = {
  suspended: "the probe was suspended",
  starved: "the probe did not get enough CPU time",
  contended: "the storage was busy with other I/O",
  too_short: "too short to tell",
  short_overlap: "the participants hardly worked at the same time",
};

const DOUBTS: Partial<Record<NonNullable<Figure["served_by"]>, string>> = {
  page_cache: "Served by the page cache",
  array_cache: "Possibly served by the array's cache",
};

/** "2.10 GB/s for 61.0 GB (6 min 52 s), then 340 MB/s (−84 %)" */
export function cliffWords(cliff: CliffLevels, unit: RateUnit): string {
  const sign = cliff.change > 0 ? "\u2212" : "+";
  return (
    `${formatRate(cliff.before_bytes_per_s, unit)} for ${formatBytes(cliff.before_bytes)} ` +
    `(${formatDuration(cliff.before_ns / 1e9)}), then ${formatRate(cliff.after_bytes_per_s, unit)} ` +
    `(${sign}${Math.round(Math.abs(cliff.change) * 100)}\u00a0%)`
  );
}

/** "durable over 1.00 TB, no cliff within 1.00 TB; carries 10 Gb/s with 61.0 MB of buffer" */
function restWords({ figure, sweet_spot, participants }: SustainedHeadline, unit: RateUnit) {
  if (figure === null) return "";
  const parts = [figure.rate === "durable" ? "durable" : "application"];
  if (figure.levels === null) parts.push(`over ${formatBytes(figure.bytes)}`);
  if (participants > 1) parts.push(`on ${participants} targets together`);
  let words = parts.join(" ");
  if (figure.no_cliff_within_bytes !== null) {
    words += `, no cliff within ${formatBytes(figure.no_cliff_within_bytes)}`;
  }
  if (figure.carried) {
    const { label, buffer_bytes } = figure.carried;
    const buffer = buffer_bytes > 0 ? ` with ${formatBytes(buffer_bytes)} of buffer` : "";
    words += `; carries ${label}${buffer}`;
  }
  if (sweet_spot) {
    words += `; sweet spot ${formatRate(sweet_spot.bytes_per_s, unit)} with a peak write time of ${formatLatency(sweet_spot.peak_ns)}`;
  }
  return figure.served_by === "unknown" ? `${words} (served by: unknown)` : words;
}

/** The text before and after a headline's figure; null if it has no single figure. */
export function headlineParts(headline: SustainedHeadline, unit: RateUnit) {
  const { figure } = headline;
  if (figure === null || figure.bytes_per_s === null) return null;
  const doubt = (figure.served_by && DOUBTS[figure.served_by]) ?? null;
  return { doubt, bytesPerS: figure.bytes_per_s, rest: restWords(headline, unit) };
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: SustainedHeadline, unit: RateUnit): string {
  const { figure, no_result } = headline;
  if (figure === null) {
    return `No result: ${(no_result && NO_RESULT[no_result]) ?? "nothing was measured"}.`;
  }
  const reached = figure.levels
    ? cliffWords(figure.levels, unit)
    : formatRate(figure.bytes_per_s ?? 0, unit);
  const sentence = `${reached} ${restWords(headline, unit)}`;
  const doubt = figure.served_by && DOUBTS[figure.served_by];
  return doubt ? `${doubt}: ${sentence}` : sentence;
}

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: SustainedHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline, unit);
  if (parts === null) return headlineWords(headline, unit);
  return upperFirst(parts.doubt === null ? parts.rest : `${parts.doubt}: ${parts.rest}`);
}

type Setting = Pick<SustainedParameters, "block"> & {
  rate_bytes_per_s: number | null;
  burst_blocks: number | null;
};

/** "800 kB blocks at 125 MB/s" */
export function trialWords({ block, rate_bytes_per_s, burst_blocks }: Setting): string {
  const blocks = `${formatBytes(block)} blocks`;
  if (rate_bytes_per_s) return `${blocks} at ${formatRate(rate_bytes_per_s, "MB/s")}`;
  return burst_blocks ? `${blocks} in bursts of ${burst_blocks}` : blocks;
}
