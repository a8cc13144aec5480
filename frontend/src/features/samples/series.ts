import type { Samples } from "@/api/shapes";
import { type Axis, type Line, type Phase, type Strip, timeAxis } from "@/charts/figure";
import { type RateUnit, rateIn } from "@/components/quantities";
import { joinedFragments } from "./fragments";

/**
 * Samples of trials as strips. A sample covers the interval that ends at its time, so each value
 * is drawn as a step from the interval's begin; a stall then stays as wide as it lasted.
 */

export interface Series {
  name: string;
  /** Short form, written at the line's end. */
  label: string;
  style: number;
  samples: Samples;
}

/** Styles of the same color, with another dash, are this far apart. */
const SERIES_COLORS = 8;

type Values = readonly (number | null)[];

const MILLISECOND = 1e6;

/** A course over time, whatever it is of. */
export type Course = Pick<Samples, "count" | "columns">;

export const columnOf = (samples: Pick<Course, "columns">, name: string): Values =>
  samples.columns[name] ?? [];

/** Longest time that any of these series reaches, in nanoseconds. */
export function longestOf(series: readonly Series[]): number {
  return Math.max(0, ...series.map(({ samples }) => columnOf(samples, "t_ns").at(-1) ?? 0));
}

/** When the first of these series begins, in nanoseconds. */
export function beginOf(series: readonly Series[]): number {
  const begins = series.map(
    ({ samples }) => (columnOf(samples, "t_ns")[0] ?? 0) - (columnOf(samples, "dt_ns")[0] ?? 0),
  );
  return Math.min(...begins);
}

export function throughputStrip(
  series: readonly Series[],
  unit: RateUnit,
  height: number,
  axis: Axis = timeAxis(longestOf(series)),
): Strip {
  const rate = (values: Values) => mapped(values, (bytesPerS) => rateIn(bytesPerS, unit));
  return {
    title: "Throughput",
    unit,
    height,
    lines: drawn(series).flatMap(({ name, label, style, samples }) => [
      {
        ...stepped(samples, axis, rate(whileMoving(samples, "rate_mean_bytes_per_s"))),
        name,
        label,
        style,
        ...bandOf(samples, rate),
      },
      ...inSync(samples, axis, rate, { name, style }),
    ]),
  };
}

const drawn = (series: readonly Series[]): Series[] =>
  series.map((each) => ({ ...each, samples: joinedFragments(each.samples) }));

/** During the final sync, the device's rate continues the line. */
function inSync(
  samples: Samples,
  axis: Axis,
  rate: (values: Values) => Values,
  { name, style }: Pick<Line, "name" | "style">,
): Line[] {
  const first = columnOf(samples, "phase").indexOf(SYNC);
  const device = columnOf(samples, "dev_write_bytes_per_s");
  if (first < 0 || device.slice(first).every((value) => value === null)) return [];
  const during = device.map((value, index) => (index < first ? null : value));
  const line = stepped(samples, axis, rate(during));
  return [{ ...line, name: `${name}, device in the final sync`, style: style + SERIES_COLORS }];
}

/** Minimum and maximum behind each point; none where every point is one sample, for they are equal then. */
function bandOf(samples: Samples, rate: (values: Values) => Values): Pick<Line, "band"> {
  if (columnOf(samples, "t_ns").length === samples.count) return {};
  if (samples.count < FEWEST_FOR_A_LINE) return {};
  const [low, high] = [whileMoving(samples, "rate_min_bytes_per_s"), highest(samples)];
  return { band: { low: fromStart(rate(low)), high: fromStart(rate(high)) } };
}

/** The fastest sample of each point; a fragment at the end is no peak. */
function highest(samples: Samples): Values {
  const values = whileMoving(samples, "rate_max_bytes_per_s");
  const [before, last] = [values.slice(0, -1), values.at(-1) ?? null];
  if (before.length === 0 || last === null) return values;
  const mean = whileMoving(samples, "rate_mean_bytes_per_s").at(-1) ?? 0;
  return [...before, Math.min(last, Math.max(mean, ...before.map((value) => value ?? 0)))];
}

export function latencyStrip(
  series: readonly Series[],
  height: number,
  axis: Axis = timeAxis(longestOf(series)),
): Strip {
  return {
    title: "Peak latency",
    unit: "ms",
    height,
    lines: drawn(series).map(({ name, style, samples }) => ({
      ...stepped(
        samples,
        axis,
        mapped(peakOf(samples), (ns) => ns / MILLISECOND),
      ),
      name,
      style,
    })),
  };
}

/** Phases of a sample, as the API numbers them. */
export const WRITE = 0;
export const SYNC = 1;

/** A column up to the final sync: no write is due then, so its zeros are no stall. */
export function whileMoving(samples: Samples, column: string): Values {
  const phase = columnOf(samples, "phase");
  const moved = phase.indexOf(SYNC);
  const values = columnOf(samples, column);
  return moved < 0 ? values : values.slice(0, moved);
}

/** The final sync as a stretch of the time axis; none where it was too short for a sample. */
export function syncPhases(samples: Samples, axis: Axis): Phase[] {
  const ends = columnOf(samples, "t_ns");
  const first = columnOf(samples, "phase").indexOf(SYNC);
  if (first < 0) return [];
  const from = (ends[first] ?? 0) - (columnOf(samples, "dt_ns")[first] ?? 0);
  return [{ name: "final sync", from: from / axis.size, to: (ends.at(-1) ?? 0) / axis.size }];
}

/**
 * The longest an operation took by then, whether it ended in the interval or was still in flight:
 * a hung write shows while it hangs. Null in the final sync, whose age is no operation's latency.
 */
export function peakOf(samples: Samples): Values {
  const oldest = columnOf(samples, "oldest_ns");
  const phase = columnOf(samples, "phase");
  return columnOf(samples, "lat_max_ns").map((longest, index) => {
    if (phase[index] === SYNC) return null;
    const age = oldest[index] ?? null;
    return longest === null ? age : Math.max(longest, age ?? 0);
  });
}

/** Fewer samples than this are drawn as points: a line would suggest values that were not measured. */
export const FEWEST_FOR_A_LINE = 10;

/** One line of a strip: a column's values as steps over its intervals, a few as points inside them. */
export function stepped(
  samples: Course,
  axis: Axis,
  values: Values,
): Pick<Line, "x" | "y" | "stepped" | "points"> {
  const ends = columnOf(samples, "t_ns");
  if (samples.count < FEWEST_FOR_A_LINE) {
    const lengths = columnOf(samples, "dt_ns");
    const middles = ends.map((end, index) => ((end ?? 0) - (lengths[index] ?? 0) / 2) / axis.size);
    return { x: middles.slice(0, values.length), y: [...values], points: true };
  }
  const first = (ends[0] ?? 0) - (columnOf(samples, "dt_ns")[0] ?? 0);
  const x = values.length > 0 ? [first, ...ends].map((ns) => (ns ?? 0) / axis.size) : [];
  x.length = Math.min(x.length, values.length + 1);
  return { x, y: fromStart(values), stepped: true };
}

/** The first interval's value also at its begin, so that it is drawn in its full width. */
function fromStart(values: Values): Values {
  return values.length > 0 ? [values[0] ?? null, ...values] : [];
}

export function mapped(values: Values, change: (value: number) => number): (number | null)[] {
  return values.map((value) => (value === null ? null : change(value)));
}
