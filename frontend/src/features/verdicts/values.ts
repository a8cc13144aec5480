import type { VerdictRow } from "@/api/shapes";
import { figure, formatShare } from "@/components/quantities";

const MOST_DIGITS = 9;

/** A value that is so far from its limit is shown in the dimension's plain unit. */
const READABLE = { least: 0.01, most: 100_000 };

/** Shares below this are all the same to limits of a tenth of a percent and more. */
const [LEAST_SHARE, LEAST_LIMIT] = [0.0001, 0.001];

/** From this distance on only the order of magnitude matters. */
const LARGEST_MARGIN = 10;

/** Units of values whose criterion has no limit to take the unit from, and of a limit of zero. */
const PLAIN = {
  rate: { unit: "MB/s", size: 1e6 },
  iops: { unit: "IOPS", size: 1 },
  frequency: { unit: "/s", size: 1 },
  duration: { unit: "ms", size: 1e6 },
  size: { unit: "GB", size: 1e9 },
  share: { unit: "%", size: 0.01 },
} as const;

/** Which one of several cells was judged; null if there is no other one. */
export function judgedCellText({ evidence, of_cells: cells }: VerdictRow): string | null {
  if (evidence.cell == null || cells === null || cells < 2) return null;
  const others = cells === 2 ? "The other one was" : `The other ${cells - 1} were`;
  return `Judged in the leading cell of ${cells}: ${evidence.cell}. ${others} not judged.`;
}

/** Whose value was judged; null if it is not that of one of several participants. */
export const judgedParticipantText = ({ evidence }: VerdictRow): string | null =>
  evidence.participant ? `Judged at the worst participant: ${evidence.participant}.` : null;

/** What a doubt says about an outcome: why it is inconclusive, or what cannot change it. */
export const doubtText = (judged: VerdictRow["judged"], message: string): string =>
  judged === "inconclusive" ? message : `Does not change the outcome: ${message}`;

/** The limit of a criterion as written: "1250 MB/s" of "durable.mean >= 1250 MB/s". */
export const limitText = (criterion: string): string => /[<>]=? (.+)$/.exec(criterion)?.[1] ?? "–";

/**
 * A measured value in the unit of its limit, with three significant digits, or as many as tell it
 * from the limit.
 */
export function measuredText({ measured, limit, dimension, criterion }: VerdictRow): string {
  if (measured === null) return "–";
  if (dimension === "yes_no") return measured ? "yes" : "no";
  if (dimension === "count") return figureOfCount(measured);
  const [number, unit] = limitText(criterion).split(" ");
  const plain = PLAIN[dimension];
  if (measured === 0 && unit) return `0\u00a0${unit}`;
  const isTiny = dimension === "share" && !isFine(limit);
  if (isTiny && measured > 0 && measured < LEAST_SHARE) return formatShare(measured);
  const value = limit ? measured / (limit / Number(number)) : Number.NaN;
  return isReadable(value)
    ? `${distinct(value, Number(number))}\u00a0${unit}`
    : `${figure(measured / plain.size)}\u00a0${plain.unit}`;
}

/** "+11.2 %" or "−8.80 %": the distance to the limit as a share of it. */
export function marginText(margin: number | null): string {
  if (margin === null) return "–";
  if (Math.abs(margin) > LARGEST_MARGIN) {
    return `${margin < 0 ? "<\u00a0−" : ">\u00a0+"}${100 * LARGEST_MARGIN}\u00a0%`;
  }
  return `${margin < 0 ? "" : "+"}${figure(100 * margin)}\u00a0%`;
}

/** Whether a limit of a share is so low that smaller shares matter. */
const isFine = (limit: number | null): boolean =>
  limit !== null && limit > 0 && limit < LEAST_LIMIT;

const isReadable = (value: number): boolean =>
  value === 0 || (value >= READABLE.least && value < READABLE.most);

const figureOfCount = (value: number): string => String(Math.round(value));

function distinct(value: number, limit: number): string {
  if (Number(value.toPrecision(3)) !== limit || value === limit) return figure(value);
  for (let digits = 4; digits <= MOST_DIGITS; digits += 1) {
    const rounded = Number(value.toPrecision(digits));
    if (rounded !== limit) return String(rounded);
  }
  return figure(value);
}
