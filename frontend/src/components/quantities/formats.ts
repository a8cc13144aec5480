/** Numbers as Assay prints and reads them, with three significant digits, and their units. */

const MINUS = "\u2212";

/**
 * Rounds to three significant digits and prints without an exponent: 1387 → "1390", 0.04217 → "0.0422".
 * Significant trailing zeros are kept ("1.40"); zero is "0".
 */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const magnitude = Math.abs(value);
  const rounded = Number(magnitude.toPrecision(3));
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(rounded)));
  const text = rounded.toFixed(Math.min(decimals, 12));
  return value < 0 ? MINUS + text : text;
}

/** A whole number with thin spaces between thousands: 12345 → "12 345". Four digits stay together. */
export function count(value: number): string {
  const text = String(Math.round(value));
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A number of things, in the plural unless it is one: "1 run", "12 runs". */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Smaller shares have nothing to tell apart. */
const LEAST_SHARE = 0.0001;

/** A share as a percentage: "98.2 %"; below one percent with two decimals, "under 0.01 %". */
export function formatShare(share: number): string {
  if (share > 0 && share < LEAST_SHARE) return "under 0.01\u00a0%";
  const percent = share * 100;
  const isSmall = share > 0 && percent < 1;
  return `${isSmall ? percent.toFixed(2) : figure(percent)}\u00a0%`;
}

/** "12 300 IOPS": operations per second with three significant digits. */
export const formatIops = (perSecond: number): string => joined(splitIops(perSecond));

/** Operations per second apart from their unit. */
export const splitIops = (perSecond: number): Quantity => ({
  value: perSecond < 1000 ? figure(perSecond) : count(Number(perSecond.toPrecision(3))),
  unit: "IOPS",
});

const MILLION = 1e6;

/** Records per second apart from their unit: "938 000", "12.3" million. */
export const splitRecordRate = (perSecond: number): Quantity => {
  const rounded = Number(perSecond.toPrecision(3));
  if (rounded >= MILLION) {
    return { value: figure(rounded / MILLION), unit: "million records/s" };
  }
  return { value: rounded < 1000 ? figure(rounded) : count(rounded), unit: "records/s" };
};

/** "938 000 records/s", "12.3 million records/s" */
export const formatRecordRate = (perSecond: number): string => joined(splitRecordRate(perSecond));

/** A value for a table, with a dash if it is not known. */
export const valueText = (
  value: number | null | undefined,
  format: (value: number) => string,
): string => (value == null ? "–" : format(value));

/** A number apart from its unit, so that a page can print them in different sizes. */
export type Quantity = { value: string; unit: string };

/** "1.39 GB/s": the parts joined by a space that does not break. */
export const joined = ({ value, unit }: Quantity): string => `${value}\u00a0${unit}`;

type Scale = readonly { unit: string; size: number }[];

/** Expresses an amount in the largest unit of the scale that makes it at least 1 (after rounding). */
function scaled(amount: number, scale: Scale): Quantity {
  const size = Number(Math.abs(amount).toPrecision(3));
  const step = scale.findLast((candidate) => size >= candidate.size) ?? scale[0];
  if (!step) return { value: figure(amount), unit: "" };
  return { value: figure(amount / step.size), unit: step.unit };
}

const DECIMAL: Scale = [
  { unit: "B", size: 1 },
  { unit: "kB", size: 1e3 },
  { unit: "MB", size: 1e6 },
  { unit: "GB", size: 1e9 },
  { unit: "TB", size: 1e12 },
  { unit: "PB", size: 1e15 },
];

const BINARY = ["B", "KiB", "MiB", "GiB"];

/** Sizes of files, disks and memory are decimal: 5e8 → 500, "MB". */
export const splitBytes = (bytes: number): Quantity =>
  Math.abs(bytes) < 999.5
    ? { value: String(Math.round(bytes)), unit: "B" }
    : scaled(bytes, DECIMAL);

/** "500 MB" */
export const formatBytes = (bytes: number): string => joined(splitBytes(bytes));

/**
 * Blocks are exact, and binary where they can be: 262144 → "256 KiB", 1536 → "1.5 KiB", 800000 →
 * "800 kB", 513 → "513 B".
 */
export function formatBlock(bytes: number): string {
  const isDecimal = bytes > 0 && bytes % 1000 === 0 && bytes % 512 !== 0;
  if (isDecimal && bytes % 1e6 === 0) return joined({ value: String(bytes / 1e6), unit: "MB" });
  if (isDecimal) return joined({ value: String(bytes / 1000), unit: "kB" });
  let size = bytes;
  let step = 0;
  while (size >= 1024 && step < BINARY.length - 1 && Number.isInteger((size / 1024) * 2)) {
    size /= 1024;
    step += 1;
  }
  return joined({ value: String(size), unit: BINARY[step] ?? "B" });
}

const FACTORS: Record<string, number> = {
  "": 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  k: 2 ** 10,
  m: 2 ** 20,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Parses "256 KiB", "64k", "4096" or "20 MB" as bytes; null if it is invalid or not an integer. */
export function parseBytes(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  if (!match) return null;
  const factor = FACTORS[(match[2] ?? "").toLowerCase()];
  if (factor === undefined) return null;
  const bytes = Number(match[1]) * factor;
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** The throughput units in the user's menu, each named by its customary unit. */
export const RATE_UNITS = ["MB/s", "MiB/s", "Gb/s", "TB/h"] as const;
export type RateUnit = (typeof RATE_UNITS)[number];

/** Bytes per second in one of the unit. */
const BYTES_PER_SECOND: Record<RateUnit, number> = {
  "MB/s": 1e6,
  "MiB/s": 2 ** 20,
  "Gb/s": 1e9 / 8,
  "TB/h": 1e12 / 3600,
};

const SCALES: Record<RateUnit, Scale> = {
  "MB/s": [
    { unit: "B/s", size: 1 },
    { unit: "kB/s", size: 1e3 },
    { unit: "MB/s", size: 1e6 },
    { unit: "GB/s", size: 1e9 },
    { unit: "TB/s", size: 1e12 },
  ],
  "MiB/s": [
    { unit: "B/s", size: 1 },
    { unit: "KiB/s", size: 2 ** 10 },
    { unit: "MiB/s", size: 2 ** 20 },
    { unit: "GiB/s", size: 2 ** 30 },
    { unit: "TiB/s", size: 2 ** 40 },
  ],
  "Gb/s": [
    { unit: "b/s", size: 1 / 8 },
    { unit: "kb/s", size: 1e3 / 8 },
    { unit: "Mb/s", size: 1e6 / 8 },
    { unit: "Gb/s", size: 1e9 / 8 },
    { unit: "Tb/s", size: 1e12 / 8 },
  ],
  "TB/h": [
    { unit: "MB/h", size: 1e6 / 3600 },
    { unit: "GB/h", size: 1e9 / 3600 },
    { unit: "TB/h", size: 1e12 / 3600 },
    { unit: "PB/h", size: 1e15 / 3600 },
  ],
};

/** A rate (bytes per second) in the fitting unit of the family: 1387e6 → 1.39, "GB/s". */
export const splitRate = (bytesPerS: number, family: RateUnit): Quantity =>
  scaled(bytesPerS, SCALES[family]);

/** "1.39 GB/s" */
export const formatRate = (bytesPerS: number, family: RateUnit): string =>
  joined(splitRate(bytesPerS, family));

/** The same for a table, with a dash for a rate that is not known. */
export const rateText = (bytesPerS: number | null | undefined, family: RateUnit): string =>
  valueText(bytesPerS, (rate) => formatRate(rate, family));

/** A rate as a number of exactly this unit, for axes and matrices that share one unit. */
export const rateIn = (bytesPerS: number, unit: RateUnit): number =>
  bytesPerS / BYTES_PER_SECOND[unit];

/** The same as text, three significant digits, without the unit. */
export const rateFigure = (bytesPerS: number, unit: RateUnit): string =>
  figure(rateIn(bytesPerS, unit));

const SHORT: Scale = [
  { unit: "ns", size: 1 },
  { unit: "µs", size: 1e3 },
  { unit: "ms", size: 1e6 },
  { unit: "s", size: 1e9 },
];

/** A latency (nanoseconds) with three significant digits: 1_234_567 → "1.23 ms". */
export const formatLatency = (ns: number): string => joined(scaled(ns, SHORT));

/**
 * A span of time (seconds) in at most two parts: 0.4 → "400 ms", 75 → "1 min 15 s", 93_600 → "1 d
 * 2 h".
 */
export function formatDuration(seconds: number): string {
  if (seconds < 0 || !Number.isFinite(seconds)) return "–";
  if (seconds > 0 && seconds < 9.95) return formatLatency(seconds * 1e9);
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "min"],
    [whole % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return "0\u00a0s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}\u00a0${unit}`)
    .join(" ");
}

/** An estimated duration (seconds), without fractions of a second: 0.7 → "1 s". */
export const formatGuess = (seconds: number): string =>
  seconds > 0 && seconds < 9.95 ? `${Math.ceil(seconds)}\u00a0s` : formatDuration(seconds);

/** How long ago, or in how long, in one part: "just now", "3 min ago", "in 2 h". */
export function formatRelative(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1000;
  const magnitude = Math.abs(seconds);
  if (magnitude < 10) return "just now";
  const [size, unit] =
    magnitude < 60
      ? [1, "s"]
      : magnitude < 3600
        ? [60, "min"]
        : magnitude < 86_400
          ? [3600, "h"]
          : [86_400, "d"];
  // A time 90 days ahead must not become 89 days a second later.
  const amount = seconds < 0 ? Math.round(magnitude / size) : Math.floor(magnitude / size);
  const text = `${amount}\u00a0${unit}`;
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** The moment in UTC, to the second: "2026-11-23 12:43:00". */
export const formatUtc = (at: Date): string => at.toISOString().slice(0, 19).replace("T", " ");

/** The moment in the reader's own time zone, to the second. */
export const formatMoment = (at: Date): string =>
  at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
