import type { VerdictRow } from "@/api/shapes";
import { figure } from "@/components/quantities";

const MOST_DIGITS = 9;

/** Units of values whose criterion has no limit to take the unit from, and of a limit of zero. */
const PLAIN = {
  rate: { unit: "MB/s", size: 1e6 },
  duration: { unit: "ms", size: 1e6 },
  size: { unit: "GB", size: 1e9 },
  share: { unit: "%", size: 0.01 },
} as const;

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
  const size = limit ? limit / Number(number) : PLAIN[dimension].size;
  const shown = limit ? unit : PLAIN[dimension].unit;
  return `${distinct(measured / size, Number(number))}\u00a0${shown}`;
}

/** "+11.2 %" or "−8.80 %": the distance to the limit as a share of it. */
export function marginText(margin: number | null): string {
  if (margin === null) return "–";
  return `${margin < 0 ? "" : "+"}${figure(100 * margin)}\u00a0%`;
}

const figureOfCount = (value: number): string => String(Math.round(value));

function distinct(value: number, limit: number): string {
  if (Number(value.toPrecision(3)) !== limit || value === limit) return figure(value);
  for (let digits = 4; digits <= MOST_DIGITS; digits += 1) {
    const rounded = Number(value.toPrecision(digits));
    if (rounded !== limit) return String(rounded);
  }
  return figure(value);
}
