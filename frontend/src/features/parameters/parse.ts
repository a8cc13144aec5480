/** Parse the input of a parameter's field; each error is one sentence. */
import { count, formatBlock, parseBytes } from "@/components/quantities";

export type Parsed<T> = { value: T } | { error: string };

const isError = <T>(parsed: Parsed<T>): parsed is { error: string } => "error" in parsed;

/** The least and the highest value of a parameter. */
export type Bounds = readonly [least: number, most: number];

/** Bounds of a number: "1 to 1 000 000". */
export const fromTo = (bounds: Bounds): string => bounds.map(count).join(" to ");

/** Bounds of a size: "1 B to 1 MiB". */
export const sizesFromTo = (bounds: Bounds): string => bounds.map(formatBlock).join(" to ");

/** A list of whole numbers: "1, 2, 4". */
export function parseCounts(text: string, bounds: Bounds): Parsed<number[]> {
  const entries = split(text);
  if (entries.length === 0) return { error: "Enter at least one number." };
  const numbers = entries.map(Number);
  const wrong = entries.find((_, i) => !isWhole(numbers[i], bounds));
  if (wrong !== undefined) {
    return { error: `${wrong} is not a whole number from ${fromTo(bounds)}.` };
  }
  const twice = repeated(numbers);
  if (twice !== undefined) return { error: `${twice} appears more than once.` };
  return { value: numbers };
}

/** One whole number. */
export function parseCount(text: string, bounds: Bounds): Parsed<number> {
  const parsed = parseCounts(text, bounds);
  if (isError(parsed)) return parsed;
  const [value, more] = parsed.value;
  if (value === undefined || more !== undefined) return { error: "Enter one number." };
  return { value };
}

/** A list of sizes: "64 KiB, 1 MiB". The last number may have the only unit: "64, 128 KiB". */
export function parseBlocks(text: string, bounds: Bounds): Parsed<number[]> {
  const entries = split(text);
  if (entries.length === 0) return { error: "Enter at least one size, such as 256 KiB." };
  let unit = "";
  const blocks: number[] = [];
  for (const entry of entries.toReversed()) {
    unit = /[a-z]+$/i.exec(entry)?.[0] ?? unit;
    const bytes = parseBytes(/[a-z]$/i.test(entry) ? entry : `${entry} ${unit}`);
    if (bytes === null) return { error: `${entry} is not a size such as 256 KiB.` };
    if (bytes < bounds[0] || bytes > bounds[1]) {
      return { error: `${entry} is outside ${sizesFromTo(bounds)}.` };
    }
    blocks.unshift(bytes);
  }
  const twice = repeated(blocks);
  if (twice !== undefined) return { error: `${formatBlock(twice)} appears more than once.` };
  return { value: blocks };
}

const exact = (bytes: number): string => `${count(bytes)}\u00a0B`;

/** The blocks in exact bytes, as `parseBlocks` understands them; null where it does not. */
export function understoodBlocks(text: string, bounds: Bounds): string | null {
  const parsed = parseBlocks(text, bounds);
  return "error" in parsed ? null : `= ${parsed.value.map(exact).join("; ")}`;
}

/** The file size in exact bytes; null for expressions, which the server evaluates. */
export function understoodFileSize(text: string): string | null {
  const parsed = parseFileSize(text);
  return "error" in parsed || typeof parsed.value === "string" ? null : `= ${exact(parsed.value)}`;
}

/** Blocks as text that `parseBlocks` reads back. */
export const blocksText = (blocks: number[]): string =>
  blocks.map((block) => formatBlock(block).replace("\u00a0", " ")).join(", ");

const NAMES = new Set(["ram", "cpus", "free", "rate", "min", "max"]);
const UNITS = new Set(["B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"]);
const PLAIN_SIZE = /^\d+(?:\.\d+)?\s*(?:B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;

/**
 * A file size: whole bytes, a size with a unit, or an expression over `ram`, `cpus`, `free` and `rate`.
 * Only its words and brackets are looked at here; the server works it out.
 */
export function parseFileSize(text: string): Parsed<number | string> {
  const trimmed = text.trim();
  if (trimmed === "") return { error: "Enter a size, such as 500 MB or 2 * ram." };
  if (/^\d+$/.test(trimmed)) {
    const bytes = Number(trimmed);
    if (bytes < 1 || !Number.isSafeInteger(bytes)) return { error: "This size is out of range." };
    return { value: bytes };
  }
  const size = PLAIN_SIZE.test(trimmed) ? parseBytes(trimmed) : null;
  if (size !== null && size >= 1) return { value: size };
  const strange = /[^\w\s.+\-*/(),]/.exec(trimmed)?.[0];
  if (strange) return { error: `“${strange}” is not allowed in a size.` };
  for (const word of trimmed.match(/[a-z_]+/gi) ?? []) {
    if (!NAMES.has(word) && !UNITS.has(word)) {
      return { error: `“${word}” is neither a unit nor one of ram, cpus, free, rate, min, max.` };
    }
  }
  let depth = 0;
  for (const char of trimmed) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0) return { error: "Unbalanced parentheses." };
  return { value: trimmed };
}

/** A file size as text: 500000000 → "500 MB"; an expression stays as it is. */
export function fileSizeText(size: number | string): string {
  if (typeof size === "string") return size;
  if (size % 1024 === 0 && size % 1000 !== 0) return formatBlock(size).replace("\u00a0", " ");
  for (const [unit, bytes] of [
    ["TB", 1e12],
    ["GB", 1e9],
    ["MB", 1e6],
    ["kB", 1e3],
  ] as const) {
    if (size >= bytes && Number.isInteger((size / bytes) * 100)) return `${size / bytes} ${unit}`;
  }
  return String(size);
}

/** A size as text that `parseSize` reads back: "100 MB", "4 KiB". */
export function sizeText(bytes: number): string {
  const text = fileSizeText(bytes);
  return /^[1-9]\d*$/.test(text) ? formatBlock(bytes).replace("\u00a0", " ") : text;
}

/** A size in bytes. */
export function parseSize(text: string, bounds: Bounds): Parsed<number> {
  const bytes = parseBytes(text);
  if (bytes === null) return { error: "Enter a size such as 100 MB." };
  if (bytes < bounds[0] || bytes > bounds[1]) {
    return { error: `Enter a size from ${sizesFromTo(bounds)}.` };
  }
  return { value: bytes };
}

const MILLISECONDS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000, ms: 1 };

const millisecondsOf = (amount: string | undefined, unit: string | undefined): number =>
  Number(amount) * MILLISECONDS[(unit || "s") as keyof typeof MILLISECONDS];

/** A span of time in milliseconds: "500 ms", "60 s", "60" (seconds), "10 min", "1 h". */
export function parseSpan(text: string, [least, most]: Bounds): Parsed<number> {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h|d|)\s*$/.exec(text);
  if (!match) return { error: "Enter a duration such as 500 ms, 60 s or 10 min." };
  const ms = Math.round(millisecondsOf(match[1], match[2]));
  if (ms < least || ms > most) {
    return { error: `Enter a duration from ${spanText(least)} to ${spanText(most)}.` };
  }
  return { value: ms };
}

/** A list of durations in milliseconds: "0 s, 10 s, 5 min". */
export function parseSpans(text: string, bounds: Bounds): Parsed<number[]> {
  const entries = split(text);
  if (entries.length === 0) return { error: "Enter at least one duration, such as 10 s." };
  const spans: number[] = [];
  for (const entry of entries) {
    const parsed = parseSpan(entry, bounds);
    if (isError(parsed)) return parsed;
    if (spans.includes(parsed.value)) return { error: `${entry} appears more than once.` };
    spans.push(parsed.value);
  }
  return { value: spans };
}

/** Milliseconds as text that `parseSpan` reads back. */
export function spanText(ms: number): string {
  if (ms === 0) return "0 s";
  if (ms > 1000 && ms % 1000 !== 0 && ms % 100 === 0) return `${ms / 1000} s`;
  const whole = Object.entries(MILLISECONDS).find(([, size]) => ms >= size && ms % size === 0);
  return whole ? `${ms / whole[1]} ${whole[0]}` : `${ms} ms`;
}

const NS: Record<string, number> = { ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 60e9 };

/** A duration in nanoseconds: "40 ms", "15.625 ms"; 0 is none. */
export function parseNanoseconds(text: string, [least, most]: Bounds): Parsed<number> {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ns|µs|us|ms|s|min|)\s*$/.exec(text);
  if (!match) return { error: "Enter a duration such as 40 ms." };
  const ns = Math.round(Number(match[1]) * (NS[match[2] || "ms"] ?? 1));
  if (ns < least || ns > most) {
    return {
      error: `Enter a duration from ${nanosecondsText(least)} to ${nanosecondsText(most)}.`,
    };
  }
  return { value: ns };
}

/** Nanoseconds as text that `parseNanoseconds` reads back. */
export function nanosecondsText(ns: number): string {
  if (ns === 0) return "0 ms";
  if (ns >= 1e9 && ns % 1e6 === 0) return `${ns / 1e9} s`;
  return ns % 1e3 === 0 ? `${ns / 1e6} ms` : `${ns} ns`;
}

const YEAR_MS = 366 * MILLISECONDS.d;
const LENGTH = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h|d)\s*$/;

/** Whether a length is a duration. */
export const isDuration = (length: number | string): boolean =>
  typeof length === "string" && LENGTH.test(length);

/** A length: "500 GB", "2 * ram", or a duration, "25 h". */
export function parseLength(text: string): Parsed<number | string> {
  const match = LENGTH.exec(text);
  if (!match) return parseFileSize(text);
  const ms = millisecondsOf(match[1], match[2]);
  if (ms < 1000 || ms > YEAR_MS) return { error: "Enter a duration from 1 s to 366 d." };
  return { value: text.trim() };
}

const split = (text: string): string[] =>
  text
    .split(/[,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean);

const repeated = (values: number[]): number | undefined =>
  values.find((value, i) => values.indexOf(value) !== i);

const isWhole = (value: number | undefined, [least, most]: Bounds): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
