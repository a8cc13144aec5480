import type { Layout } from "plotly.js-basic-dist-min";
import type { Figure, Span } from "./figure";

/**
 * Ticks of an axis of points in time, in ms since 1970: round times of the browser's time zone, with
 * labels that tell any two of them apart.
 */

interface ClockTicks {
  at: number[];
  text: string[];
  /** What all ticks have in common and their labels omit: the day or the year, or null. */
  common: string | null;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** The distances between ticks: up to half a day in ms, then in days, then in months. */
const SHORT = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
];
const DAYS = [1, 2, 4, 7, 14];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120];
/** The most ticks whose labels do not overlap on a phone; those with a day and a time are long. */
const [MOST, MOST_LONG] = [4, 3];
/** A label nearer to an end than this share of the axis would be cut off. */
const ROOM = 0.1;

export function clockTicks([from, to]: Span): ClockTicks {
  const room = (to - from) * ROOM;
  const shown: Span = [from + room, to - room];
  const length = shown[1] - shown[0];
  const begin = new Date(shown[0]);
  const day = dayAfter(new Date(from), 0) === dayAfter(new Date(to), 0) ? dayOf(from) : null;
  const short = SHORT.find((step) => length / step < (day === null ? MOST_LONG : MOST));
  if (short !== undefined) return ofTheDay(within(shortTicks(shown, short), shown), short, day);
  const days = DAYS.find((step) => length / DAY / step < MOST);
  return ofTheYear(
    days
      ? spread(shown, (index) => dayAfter(begin, index * days))
      : spread(shown, (index) => monthAfter(begin, index * monthsFor(length))),
  );
}

const monthsFor = (length: number): number =>
  MONTHS.find((step) => length / (30 * DAY) / step < MOST) ?? (MONTHS.at(-1) as number);

const dayAfter = (begin: Date, days: number): number =>
  new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + days).getTime();

const monthAfter = (begin: Date, months: number): number =>
  new Date(begin.getFullYear(), begin.getMonth() + months, 1).getTime();

/** Times of day that are multiples of `step`, counted from each midnight: some days have 23 hours. */
function shortTicks([from, to]: Span, step: number): number[] {
  const found: number[] = [];
  for (let midnight = dayAfter(new Date(from), 0); midnight <= to; ) {
    const next = dayAfter(new Date(midnight), 1);
    const begin = Math.max(0, Math.ceil((from - midnight) / step));
    for (let at = midnight + begin * step; at < Math.min(next, to + 1); at += step) found.push(at);
    midnight = next;
  }
  return found;
}

/** The times in the range that `of` returns for 0, 1, 2… */
function spread(shown: Span, of: (index: number) => number): number[] {
  const found: number[] = [];
  for (let index = 0; of(index) <= shown[1]; index += 1) found.push(of(index));
  return within(found, shown);
}

const within = (at: readonly number[], [from, to]: Span): number[] =>
  at.filter((time) => from <= time && time <= to);

/** Labels with the day, and the year where it changes. */
function ofTheYear(at: number[]): ClockTicks {
  const years = new Set(at.map((time) => new Date(time).getFullYear()));
  const common = years.size === 1 ? String([...years][0]) : null;
  const words = new Intl.DateTimeFormat(
    undefined,
    common === null ? { dateStyle: "medium" } : { day: "numeric", month: "short" },
  );
  return { at, text: at.map((time) => words.format(time)), common };
}

const dayOf = (time: number): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(time);

/** Labels with as much of the time of day as the step needs, and the day unless the whole axis has one. */
function ofTheDay(at: number[], step: number, common: string | null): ClockTicks {
  const words = new Intl.DateTimeFormat(undefined, {
    ...(common === null ? { day: "numeric", month: "short" } : {}),
    hour: "numeric",
    minute: "2-digit",
    ...(step < MINUTE ? { second: "2-digit" } : {}),
    ...(step < SECOND ? { fractionalSecondDigits: 3 } : {}),
  });
  return { at, text: at.map((time) => words.format(time)), common };
}

/** The figure with ticks for the range that it shows; the axis's title has the day or year of all of them. */
export function onClock(figure: Figure, shown: Span): Figure {
  const { at, text, common } = clockTicks(shown);
  const axis = figure.layout.xaxis as Layout;
  const title = axis.title as Layout;
  const xaxis = {
    ...axis,
    tickvals: at,
    ticktext: text,
    title: common === null ? title : { ...title, text: `${title.text}, ${common}` },
  };
  return { ...figure, layout: { ...figure.layout, xaxis } };
}
