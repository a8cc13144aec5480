/** What an end of a transfer recorded, as lines of strips. */
import type { Links, Samples } from "@/api/shapes";
import type { Axis, Line, Strip } from "@/charts/figure";
import { joinedFragments } from "@/features/samples/fragments";
import { type Course, columnOf, mapped, stepped, whileMoving } from "@/features/samples/series";

/** One end of a transfer. */
export interface TrialEnd {
  participant: number;
  role: "sender" | "receiver";
  host: string;
  /** Null for memory. */
  path: string | null;
}

/** One end of a transfer, with what it recorded of a trial. */
export interface EndSamples extends TrialEnd {
  samples: Samples;
  links: Pick<Links, "columns">;
}

/** A column in the unit of its strip. */
export type Change = (value: number) => number;

export const percent: Change = (share) => share * 100;

/** How a line is named and drawn. */
export interface Look {
  name: string;
  style: number;
  /** The text at the line's end; the name by default. */
  label?: string;
}

const MILLISECOND = 1e6;
const SECOND = 1e9;

export type Missing = false | null | undefined;

/** A strip of those lines that were recorded; null if none was. */
export function strip(
  title: string,
  unit: string,
  height: number,
  lines: readonly (Line | Missing)[],
): Strip | null {
  const known = lines.filter((line): line is Line => Boolean(line));
  return known.length > 0 ? { title, unit, height, lines: known } : null;
}

/** Whether an end has sent or received: the network has no part in reading or writing alone. */
export const isNetwork = (end: EndSamples | undefined): boolean =>
  end !== undefined && columnOf(end.links, "rtt_mean_ns").some((value) => value !== null);

/** An interval that is a smaller share of the sampling interval than this is no rate. */
const FRAGMENT = 1 / 5;

/** The links without the fragments that the end of the data cuts off. */
function courseOf({ samples, links: { columns } }: EndSamples): Course {
  const whole = [...(columns.dt_ns ?? []).entries()]
    .filter(([index, length]) => index === 0 || (length ?? 0) >= samples.sample_ns * FRAGMENT)
    .map(([index]) => index);
  return {
    count: whole.length,
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [
        name,
        whole.map((index) => values[index] ?? null),
      ]),
    ),
  };
}

/** A column of the samples; null where it was not recorded. */
export function sampleLine(
  end: EndSamples,
  column: string,
  change: Change,
  axis: Axis,
  look: Look,
): Line | null {
  const samples = joinedFragments(end.samples);
  const values = isOfData(column) ? whileMoving(samples, column) : columnOf(samples, column);
  return lineOf(
    { ...samples, columns: { ...samples.columns, [column]: [...values] } },
    column,
    change,
    axis,
    look,
  );
}

/** Whether a column is about the data: none is due in the final sync, so its zeros are no stall. */
const isOfData = (column: string): boolean => /^(rate|ops)_/.test(column);

/** A column of the streams and the pipeline; null where it was not recorded. */
export const linkLine = (
  end: EndSamples,
  column: string,
  change: Change,
  axis: Axis,
  look: Look,
): Line | null => lineOf(courseOf(end), column, change, axis, look);

/** A column over time; null where it was not recorded. */
export function lineOf(
  course: Course,
  column: string,
  change: Change,
  axis: Axis,
  { name, style, label = name }: Look,
): Line | null {
  const values = columnOf(course, column);
  if (values.every((value) => value === null)) return null;
  return { ...stepped(course, axis, mapped(values, change)), name, label, style };
}

/** The mean round trip of all streams, with the least and the greatest as a band. */
export function roundTrips(end: EndSamples, axis: Axis, look: Look): Line | null {
  const course = courseOf(end);
  const ms: Change = (ns) => ns / MILLISECOND;
  const of = (column: string) => lineOf(course, column, ms, axis, look);
  const [mean, low, high] = [of("rtt_mean_ns"), of("rtt_min_ns"), of("rtt_max_ns")];
  if (!mean || !low || !high) return null;
  return mean.points ? mean : { ...mean, band: { low: low.y, high: high.y } };
}

/** Segments that all streams sent again, per second of each interval. */
export function retransmits(end: EndSamples, axis: Axis, look: Look): Line | null {
  const course = courseOf(end);
  const lengths = columnOf(course, "dt_ns");
  const perS = columnOf(course, "retransmits").map((count, index) =>
    count === null || !lengths[index] ? null : (count / lengths[index]) * SECOND,
  );
  if (perS.every((value) => value === null)) return null;
  const { name, style, label = name } = look;
  return { ...stepped(course, axis, perS), name, label, style };
}
