/** Parse the input of a parameter's field; each error is one sentence. */
import { BOUNDS } from "@/api/bounds";
import { formatBlock, parseBytes } from "@/components/quantities";

export type Parsed<T> = { value: T } | { error: string };

const isError = <T>(parsed: Parsed<T>): parsed is { error: string } => "error" in parsed;

/** The least and the highest value of a parameter, as in `BOUNDS`. */
export type Bounds = readonly [least: number, most: number];

/** Bounds of a number: "1 to 1,000,000". */
export const fromTo = (bounds: Bounds): string =>
  bounds.map((bound) => bound.toLocaleString("en-US")).join(" to ");

/** Bounds of a size: "1 B to 1 MiB". */
export const sizesFromTo = (bounds: Bounds): string => bounds.map(formatBlock).join(" to ");

/** A list of whole numbers: "1, 2, 4". */
export function parseCounts(text: string, least: number, most: number): Parsed<number[]> {
  const entries = split(text);
  if (entries.length === 0) return { error: "Enter at least one number." };
  const numbers = entries.map(Number);
  const wrong = entries.find((_, i) => !isWhole(numbers[i], least, most));
  if (wrong !== undefined) {
    return { error: `${wrong} is not a whole number from ${least} to ${most}.` };
  }
  const twice = repeated(numbers);
  if (twice !== undefined) return { error: `${twice} appears more than once.` };
  return { value: numbers };
}

/** One whole number. */
export function parseCount(text: string, least: number, most: number): Parsed<number> {
  const parsed = parseCounts(text, least, most);
  if (isError(parsed)) return parsed;
  const [value, more] = parsed.value;
  if (value === undefined || more !== undefined) return { error: "Enter one number." };
  return { value };
}

/**
 * A list of block sizes: "64 KiB, 1 MiB". The last number may have the only unit: "64, 128 KiB".
 * `bounds` and `what` are those of other sizes.
 */
export function parseBlocks(
  text: string,
  bounds: Bounds = BOUNDS.matrix.block,
  what = "block size, such as 256 KiB",
): Parsed<number[]> {
  const entries = split(text);
  if (entries.length === 0) return { error: `Enter at least one ${what}.` };
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

const exact = (bytes: number): string => `${bytes.toLocaleString("en-US")}\u00a0B`;

/** The blocks in exact bytes, as `parseBlocks` understands them; null where it does not. */
export function understoodBlocks(text: string, bounds?: Bounds): string | null {
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

/** A size in bytes. */
export function parseSize(text: string, least: number, most: number): Parsed<number> {
  const bytes = parseBytes(text);
  if (bytes === null) return { error: "Enter a size such as 100 MB." };
  if (bytes < least || bytes > most) {
    return { error: `Enter a size from ${sizesFromTo([least, most])}.` };
  }
  return { value: bytes };
}

const MILLISECONDS: Record<string, number> = {
  ms: 1,
  s: 1000,
  "": 1000,
  min: 60_000,
  h: 3_600_000,
};

/** A span of time in milliseconds: "500 ms", "60 s", "60" (seconds), "10 min", "1 h". */
export function parseSpan(text: string, leastMs: number, mostMs: number): Parsed<number> {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h|)\s*$/.exec(text);
  const factor = match && MILLISECONDS[match[2] ?? ""];
  if (!match || !factor) return { error: "Enter a duration such as 500 ms, 60 s or 10 min." };
  const ms = Math.round(Number(match[1]) * factor);
  if (ms < leastMs || ms > mostMs) {
    return { error: `Enter a duration from ${spanText(leastMs)} to ${spanText(mostMs)}.` };
  }
  return { value: ms };
}

/** A list of durations in milliseconds: "0 s, 10 s, 5 min". */
export function parseSpans(text: string, leastMs: number, mostMs: number): Parsed<number[]> {
  const entries = split(text);
  if (entries.length === 0) return { error: "Enter at least one duration, such as 10 s." };
  const spans: number[] = [];
  for (const entry of entries) {
    const parsed = parseSpan(entry, leastMs, mostMs);
    if (isError(parsed)) return parsed;
    if (spans.includes(parsed.value)) return { error: `${entry} appears more than once.` };
    spans.push(parsed.value);
  }
  return { value: spans };
}

/** Milliseconds as text that `parseSpan` reads back. */
export function spanText(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  if (ms >= 120_000 && ms % 60_000 === 0) return `${ms / 60_000} min`;
  if (ms >= 1000 && ms % 100 === 0) return `${ms / 1000} s`;
  return `${ms} ms`;
}

const split = (text: string): string[] =>
  text
    .split(/[,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean);

const repeated = (values: number[]): number | undefined =>
  values.find((value, i) => values.indexOf(value) !== i);

const isWhole = (value: number | undefined, least: number, most: number): boolean =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
