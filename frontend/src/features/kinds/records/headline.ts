import type { Levels } from "@/api/shapes";
import {
  count,
  figure,
  formatBlock,
  formatRate,
  levelsWords,
  type Quantity,
  type RateUnit,
} from "@/components/quantities";
import {
  doubtWords,
  type HeadlineParts,
  restSentence,
  unreliableWords,
} from "@/features/kinds/headline";
import { limitWords } from "@/features/transfers/limits";
import type { RecordsHeadline } from "./shapes";

const NONE = "not_measured";

const NO_RESULT = {
  wrong_records: "records did not arrive and stay as they were sent",
  not_measured: "nothing was measured",
};

const MILLION = 1e6;

/** Records per second apart from their unit: "938 000", "12.3" million. */
export const splitRecordRate = (perSecond: number): Quantity => {
  const rounded = Number(perSecond.toPrecision(3));
  if (rounded >= MILLION) {
    return { value: figure(rounded / MILLION), unit: "million records/s" };
  }
  return { value: rounded < 1000 ? figure(rounded) : count(rounded), unit: "records/s" };
};

/** The records per second of a length, or of its levels: "30 000 records/s → 7230 records/s". */
export const recordRateWords = (
  perSecond: number | null | undefined,
  levels: Levels | null | undefined,
  recordBytes: number,
): string => {
  if (levels?.length) {
    return levels.map(({ bytes_per_s }) => formatRecordRate(bytes_per_s / recordBytes)).join(" → ");
  }
  return perSecond == null ? "–" : formatRecordRate(perSecond);
};

/** "938 000 records/s", "12.3 million records/s" */
export const formatRecordRate = (perSecond: number): string => {
  const { value, unit } = splitRecordRate(perSecond);
  return `${value}\u00a0${unit}`;
};

/** "4 KiB records" */
export const lengthWords = (bytes: number): string => `${formatBlock(bytes)} records`;

/** "from 3 senders to a file of JSON lines" */
function routeWords({ senders, sink, format }: RecordsHeadline): string {
  const from = senders === 1 ? "1 sender" : `${senders} senders`;
  if (sink === "memory") return `from ${from} to memory`;
  return `from ${from} to a file${format === "json" ? " of JSON lines" : ""}`;
}

/** "of 4 KiB from 3 senders to a file; limited by the sink's disk; no records lost" */
function restWords(headline: RecordsHeadline, figureWords: string): string {
  const { limit, lost } = headline;
  return [
    `${figureWords} ${routeWords(headline)}`,
    ...(limit === null ? [] : [limitWords(limit, [])]),
    ...lostWords(lost),
  ].join("; ");
}

/** What the sink does not hold of the records that it had taken; nothing where that is unknown. */
function lostWords(lost: number | null): string[] {
  if (lost === null) return [];
  return [lost === 0 ? "no records lost" : `${count(lost)} records lost`];
}

/** The headline around the rate in bytes. */
export function headlineParts(headline: RecordsHeadline): HeadlineParts | null {
  const { bytes_per_s, records_per_s, record_bytes, served_by } = headline;
  if (bytes_per_s === null || records_per_s === null || record_bytes === null) return null;
  const words = `payload, ${formatRecordRate(records_per_s)} of ${formatBlock(record_bytes)}`;
  return { doubt: doubtWords(served_by), bytesPerS: bytes_per_s, rest: restWords(headline, words) };
}

/** The same around the rate in records, which leads on the result page. */
export function answerParts(headline: RecordsHeadline, unit: RateUnit): HeadlineParts | null {
  const parts = headlineParts(headline);
  const { bytes_per_s, records_per_s, record_bytes } = headline;
  if (!parts || bytes_per_s === null || records_per_s === null || record_bytes === null) {
    return null;
  }
  const words = `of ${formatBlock(record_bytes)} (${formatRate(bytes_per_s, unit)} payload)`;
  return {
    ...parts,
    quantity: splitRecordRate(records_per_s),
    rest: restWords(headline, words),
  };
}

/** "123 MB/s for 1.90 s (234 MB), then 29.6 MB/s payload in 4 KiB records from 3 senders…" */
function levelWords(headline: RecordsHeadline, levels: Levels, unit: RateUnit): string {
  const length = headline.record_bytes;
  const records = length === null ? "" : ` in ${lengthWords(length)}`;
  const sentence = `${levelsWords(levels, unit)} ${restWords(headline, `payload${records}`)}`;
  const doubt = doubtWords(headline.served_by);
  return doubt ? `${doubt}: ${sentence}` : sentence;
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: RecordsHeadline, unit: RateUnit): string {
  if (headline.levels?.length) return levelWords(headline, headline.levels, unit);
  const parts = headlineParts(headline);
  if (parts === null) return `No result: ${noRateWords(headline)}.`;
  const rate = formatRate(parts.bytesPerS, unit);
  return parts.doubt ? `${parts.doubt}: ${rate} ${parts.rest}` : `${rate} ${parts.rest}`;
}

const noRateWords = ({ no_result, flags }: RecordsHeadline): string =>
  no_result === "unreliable" ? unreliableWords(flags) : NO_RESULT[no_result ?? NONE];

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: RecordsHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline);
  return parts === null ? headlineWords(headline, unit) : restSentence(parts);
}
