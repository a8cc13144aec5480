import { figure, joined, type Scale, scaled } from "./figure";

const SHORT: Scale = [
  { unit: "ns", size: 1 },
  { unit: "µs", size: 1e3 },
  { unit: "ms", size: 1e6 },
  { unit: "s", size: 1e9 },
];

/** A latency (nanoseconds) with three significant digits: 1_234_567 → "1.23 ms". */
export const formatLatency = (ns: number): string => joined(scaled(ns, SHORT));

/**
 * A span of time (seconds) in at most two parts: 0.4 → "0.400 s", 75 → "1 min 15 s", 93_600 → "1 d
 * 2 h".
 */
export function formatDuration(seconds: number): string {
  if (seconds < 0 || !Number.isFinite(seconds)) return "–";
  if (seconds > 0 && seconds < 9.95) return `${figure(seconds)}\u00a0s`;
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
