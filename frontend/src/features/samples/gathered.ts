import type { Line, Strip } from "@/charts/figure";

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
