import {
  figure,
  formatBlock,
  formatRate,
  formatShare,
  type RateUnit,
} from "@/components/quantities";
import { type HeadlineParts, restSentence, unreliableWords } from "@/features/kinds/headline";
import { limitWords } from "@/features/transfers/limits";
import type { Leg, PathHeadline } from "./shapes";
import { LEGS } from "./words";

const NONE = "not_measured";

const NO_RESULT = {
  cache_inflated: "a cache at the sink makes the rate higher than what its disk holds",
  not_measured: "nothing was measured",
  wrong_data: "data did not arrive as it was sent",
};

/** "1.96 TB/h" */
export const hourlyText = (tbPerHour: number): string => `${figure(tbPerHour)}\u00a0TB/h`;

/** "disk to disk, durable (1.96 TB/h), 98 % of what its legs predict; limited by the sink's disk" */
function restWords(headline: PathHeadline, unit: RateUnit): string {
  const { leg, rate, tb_per_hour, efficiency, limit, others, limit_names, full_duplex } = headline;
  let words = leg === null ? "" : LEGS[leg].title.toLowerCase();
  if (full_duplex) words += ", both directions together";
  if (rate === "durable") words += ", durable";
  if (tb_per_hour !== null && unit !== "TB/h") words += ` (${hourlyText(tb_per_hour)})`;
  if (efficiency !== null) {
    words += `, ${formatShare(efficiency)} of what its legs predict`;
  }
  return limit === null ? words : `${words}; ${limitWords(limit, others, limit_names)}`;
}

/** The text after a headline's figure; null if it has none. */
export function headlineParts(headline: PathHeadline, unit: RateUnit): HeadlineParts | null {
  const { bytes_per_s } = headline;
  if (bytes_per_s === null) return null;
  return { doubt: null, bytesPerS: bytes_per_s, rest: restWords(headline, unit) };
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: PathHeadline, unit: RateUnit): string {
  const { bytes_per_s, no_result, limit, others, limit_names, flags } = headline;
  if (bytes_per_s !== null) return `${formatRate(bytes_per_s, unit)} ${restWords(headline, unit)}`;
  const why = no_result === "unreliable" ? unreliableWords(flags) : NO_RESULT[no_result ?? NONE];
  return limit === null
    ? `No result: ${why}.`
    : `No result: ${why}; ${limitWords(limit, others, limit_names)}.`;
}

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: PathHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline, unit);
  return parts === null ? headlineWords(headline, unit) : restSentence(parts);
}

/** "4 streams, 1 MiB blocks"; of several pairs each has these streams: "4 streams per pair, …". */
export function settingWords(
  { block, streams }: { block: number; streams: number | null },
  isJoint = false,
): string {
  const blocks = `${formatBlock(block)} blocks`;
  if (!streams) return blocks;
  const count = streams === 1 ? "1 stream" : `${streams} streams`;
  return `${count}${isJoint ? " per pair" : ""}, ${blocks}`;
}

/** "Disk to disk, 4 streams, 1 MiB blocks" */
export const trialWords = (
  trial: { leg: Leg; block: number; streams: number | null },
  isJoint = false,
): string => `${LEGS[trial.leg].title}, ${settingWords(trial, isJoint)}`;
