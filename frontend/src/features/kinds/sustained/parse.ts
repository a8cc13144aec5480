/** Parse the input of a sustained test's fields; each error is one sentence. */
import { formatRate, parseBytes } from "@/components/quantities";
import { fileSizeText, type Parsed, parseFileSize } from "@/features/parameters/parse";

const NS: Record<string, number> = { ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 60e9 };

const YEAR_MS = 366 * 24 * 3_600_000;
const LENGTH = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h|d)\s*$/;
const LENGTH_MS: Record<string, number> = { ms: 1, s: 1e3, min: 60e3, h: 3.6e6, d: 86.4e6 };

/** A length: "500 GB", "2 * ram", or a duration, "25 h". */
export function parseLength(text: string): Parsed<number | string> {
  const match = LENGTH.exec(text);
  if (!match) return parseFileSize(text);
  const ms = Number(match[1]) * (LENGTH_MS[match[2] ?? ""] ?? 0);
  if (ms < 1000 || ms > YEAR_MS) return { error: "Enter a duration from 1 s to 366 d." };
  return { value: text.trim() };
}

/** A duration in nanoseconds: "40 ms", "15.625 ms"; 0 is none. */
export function parseNanoseconds(text: string, least: number, most: number): Parsed<number> {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ns|µs|us|ms|s|min|)\s*$/.exec(text);
  if (!match) return { error: "Enter a duration such as 40 ms." };
  const ns = Math.round(Number(match[1]) * (NS[match[2] || "ms"] ?? 1));
  if (ns < least || ns > most) {
    return { error: `Enter a duration from ${spanOf(least)} to ${spanOf(most)}.` };
  }
  return { value: ns };
}

/** Nanoseconds as text that `parseNanoseconds` reads back. */
export function spanOf(ns: number): string {
  if (ns === 0) return "0 ms";
  if (ns >= 1e9 && ns % 1e6 === 0) return `${ns / 1e9} s`;
  return ns % 1e3 === 0 ? `${ns / 1e6} ms` : `${ns} ns`;
}

/** A size of at least `least` bytes, or 0 for none if that is allowed. */
export function parseSize(text: string, least: number, orNone = false): Parsed<number> {
  const bytes = parseBytes(text);
  if (orNone && bytes === 0) return { value: 0 };
  if (bytes === null || bytes < least || bytes > 2 ** 60) {
    return { error: `Enter a size such as 100 MB, at least ${fileSizeText(least)}.` };
  }
  return { value: bytes };
}

const RATE = /^(\d+(?:\.\d+)?)\s*([kMGT]?)(i?)(B|b)\/s$/;
const PREFIXES: Record<string, number> = { "": 0, k: 1, M: 2, G: 3, T: 4 };

/** A list of rates: "125 MB/s, 10 Gb/s"; a plain number is bytes per second. */
export function parseRates(text: string): Parsed<number[]> {
  const entries = text
    .split(/[,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (entries.length === 0) return { error: "Enter at least one rate, such as 125 MB/s." };
  const rates: number[] = [];
  for (const entry of entries) {
    const rate = rateOf(entry);
    if (rate === null || rate < 1 || rate > 1e12) {
      return { error: `${entry} is not a rate such as 125 MB/s or 10 Gb/s.` };
    }
    if (rates.includes(rate)) return { error: `${entry} appears more than once.` };
    rates.push(rate);
  }
  return { value: rates };
}

/** A rate: "125 MB/s". */
export function parseRate(text: string): Parsed<number> {
  const parsed = parseRates(text);
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

/** "= 125 MB/s; 1.25 GB/s" */
export function understoodRates(text: string): string | null {
  const parsed = parseRates(text);
  if ("error" in parsed) return null;
  return `= ${parsed.value.map((rate) => formatRate(rate, "MB/s")).join("; ")}`;
}
