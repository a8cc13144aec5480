/** Parse the input of fields that hold rates; each error is one sentence. */
import { formatRate } from "@/components/quantities";
import type { Bounds, Parsed } from "./parse";

const RATE = /^(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)(B|b)\/s$/;
const PREFIXES: Record<string, number> = { "": 0, k: 1, K: 1, M: 2, G: 3, T: 4 };

/** A list of rates: "125 MB/s, 10 Gb/s"; a plain number is bytes per second. */
export function parseRates(text: string, [least, most]: Bounds): Parsed<number[]> {
  const entries = text
    .split(/[,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (entries.length === 0) return { error: "Enter at least one rate, such as 125 MB/s." };
  const rates: number[] = [];
  for (const entry of entries) {
    const rate = rateOf(entry);
    if (rate === null || rate < least || rate > most) {
      return { error: `${entry} is not a rate such as 125 MB/s or 10 Gb/s.` };
    }
    if (rates.includes(rate)) return { error: `${entry} appears more than once.` };
    rates.push(rate);
  }
  return { value: rates };
}

/** A rate: "125 MB/s". */
export function parseRate(text: string, bounds: Bounds): Parsed<number> {
  const parsed = parseRates(text, bounds);
  if ("error" in parsed) return parsed;
  const [rate, ...others] = parsed.value;
  if (rate === undefined || others.length > 0)
    return { error: "Enter one rate, such as 125 MB/s." };
  return { value: rate };
}

function rateOf(entry: string): number | null {
  if (/^\d+$/.test(entry)) return Number(entry);
  const match = RATE.exec(entry);
  if (!match) return null;
  const base = match[3] ? 1024 : 1000;
  const factor = base ** (PREFIXES[match[2] ?? ""] ?? 0) / (match[4] === "b" ? 8 : 1);
  return Math.round(Number(match[1]) * factor);
}

/** Rates as text that `parseRates` reads back. */
export const ratesText = (rates: readonly number[]): string =>
  rates.map((rate) => (rate % 1e4 === 0 ? `${rate / 1e6} MB/s` : String(rate))).join(", ");

/** The rates in their best unit, as understood from a text: "= 125 MB/s; 1.25 GB/s". */
export const understoodRates =
  (bounds: Bounds) =>
  (text: string): string | null => {
    const parsed = parseRates(text, bounds);
    if ("error" in parsed) return null;
    return `= ${parsed.value.map((rate) => formatRate(rate, "MB/s")).join("; ")}`;
  };
