/** Many repeats as a median and a band, and several participants as their total. */
import type { Line, Strip } from "@/charts/figure";
import { type Course, columnOf } from "./series";

/** From this number of repeats on, their lines overlap too much. */
const MANY = 6;
/** Points in time at which the repeats are compared. */
const STEPS = 200;
/** The style of the ink: the median belongs to no repeat. */
const INK = 7;

type Value = number | null;

/**
 * A strip of many repeats as their median, a band from the least to the greatest, and the one that
 * is selected; a strip of a few as it is. A moment that less than half of the repeats reached is
 * left out: a median of the slowest ones alone would be no median.
 */
export function gathered(strip: Strip, selected: string): Strip {
  const repeats = strip.lines.filter(({ name }) => !name.includes(","));
  const names = new Set(repeats.map(({ name }) => name));
  if (names.size < MANY) return strip;
  const end = Math.max(...repeats.map(({ x }) => x.at(-1) ?? 0));
  const x = Array.from({ length: STEPS }, (_, step) => ((step + 0.5) * end) / STEPS);
  const at = x.map((time) =>
    repeats
      .map((line) => valueAt(line, time))
      .filter((value) => value !== null)
      .sort((a, b) => a - b),
  );
  const known = (values: number[]) => values.length * 2 >= names.size;
  const pick = (of: (values: number[]) => Value) =>
    at.map((values) => (known(values) ? of(values) : null));
  const median: Line = {
    name: `median of ${names.size} repeats`,
    label: "median",
    style: INK,
    x,
    y: pick(middle),
    band: {
      low: pick((values) => values[0] ?? null),
      high: pick((values) => values.at(-1) ?? null),
    },
  };
  const own = strip.lines.filter(
    ({ name }) => name === selected || name.startsWith(`${selected},`),
  );
  return { ...strip, lines: [median, ...own] };
}

function middle(sorted: number[]): Value {
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? null;
  if (sorted.length % 2 === 1 || upper === null) return upper;
  return ((sorted[half - 1] ?? upper) + upper) / 2;
}

/** The value of a line at a time: for steps, that of its interval; for points, the nearest. */
function valueAt({ x, y, points }: Line, time: number): Value {
  const last = x.at(-1);
  if (last === undefined || (!points && (time > last || time < (x[0] ?? 0)))) return null;
  if (!points) return y[x.findIndex((end) => end >= time)] ?? null;
  let nearest = 0;
  for (const [index, place] of x.entries()) {
    if (Math.abs(place - time) < Math.abs((x[nearest] ?? 0) - time)) nearest = index;
  }
  return y[nearest] ?? null;
}

const RATE = "rate_mean_bytes_per_s";
const SECOND = 1e9;

/** The intervals of a course: where each ends, how long it is, and what moved in it. */
interface Intervals {
  ends: number[];
  lengths: number[];
  /** The rate times the interval's length in seconds; zero where the rate is unknown. */
  moved: number[];
}

/**
 * The sum of a rate over all courses, in the intervals of the one with the most samples. What moved in
 * an interval of another course counts by its overlap, so that nothing is lost or counted twice;
 * after the end of a course, it adds nothing. Empty if there is no course.
 */
export function totalOf(courses: readonly Course[], column = RATE): Course {
  const all = courses.map((course) => intervalsOf(course, column));
  const grid = all.reduce((most, one) => (one.ends.length > most.ends.length ? one : most), NONE);
  const begins = grid.ends.map((end, index) => end - (grid.lengths[index] ?? 0));
  const sums = grid.ends.map(() => 0);
  for (const one of all) {
    for (const [index, moved] of within(one, begins, grid.ends).entries()) {
      sums[index] = (sums[index] ?? 0) + moved;
    }
  }
  return {
    count: Math.max(0, ...courses.map(({ count }) => count)),
    columns: {
      t_ns: grid.ends,
      dt_ns: grid.lengths,
      [column]: sums.map((moved, index) => {
        const length = grid.lengths[index] ?? 0;
        return length > 0 ? (moved / length) * SECOND : 0;
      }),
    },
  };
}

const NONE: Intervals = { ends: [], lengths: [], moved: [] };

function intervalsOf(course: Course, column: string): Intervals {
  const lengths = columnOf(course, "dt_ns").map((length) => length ?? 0);
  return {
    ends: columnOf(course, "t_ns").map((end) => end ?? 0),
    lengths,
    moved: columnOf(course, column).map(
      (rate, index) => ((rate ?? 0) * (lengths[index] ?? 0)) / SECOND,
    ),
  };
}

/** What moved of a course between each of these begins and ends, both in ascending order. */
function within({ ends, lengths, moved }: Intervals, begins: number[], untils: number[]): number[] {
  let first = 0;
  return begins.map((begin, index) => {
    const until = untils[index] ?? begin;
    while (first < ends.length && (ends[first] ?? 0) <= begin) first += 1;
    let sum = 0;
    for (let at = first; at < ends.length; at++) {
      const [end, length] = [ends[at] ?? 0, lengths[at] ?? 0];
      const start = end - length;
      if (start >= until) break;
      const overlap = Math.min(end, until) - Math.max(start, begin);
      if (overlap > 0 && length > 0) sum += ((moved[at] ?? 0) * overlap) / length;
    }
    return sum;
  });
}
