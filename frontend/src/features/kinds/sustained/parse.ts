/** Parse the input of a sustained test's fields; each error is one sentence. */
import { type Parsed, parseFileSize } from "@/features/parameters/parse";

const NS: Record<string, number> = { ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 60e9 };

const YEAR_MS = 366 * 24 * 3_600_000;
const LENGTH = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h|d)\s*$/;
const LENGTH_MS: Record<string, number> = { ms: 1, s: 1e3, min: 60e3, h: 3.6e6, d: 86.4e6 };

/** Whether a length is a duration. */
export const isDuration = (length: number | string): boolean =>
  typeof length === "string" && LENGTH.test(length);

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
