/** What several participants moved together, from the samples of each. */
import { type Course, columnOf } from "./series";

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
