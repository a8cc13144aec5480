/** A trial's marks and samples as strips, over time or over the data moved. */
import type { Levels, Marks, Samples } from "@/api/shapes";
import type { DataTable, Value } from "@/charts/dataTable";
import { type Axis, type Line, type Strip, timeAxis } from "@/charts/figure";
import { type RateUnit, rateIn } from "@/components/quantities";
import {
  capital,
  dataWords,
  type Operation,
  timeWords,
} from "@/features/kinds/sustained/sustained";
import { cpuStrip, deviceStrip, memoryStrip } from "@/features/samples/hostStrips";
import {
  latencyStrip,
  mapped,
  type Series,
  SYNC,
  throughputStrip,
} from "@/features/samples/series";
import type { DrawnLimits } from "@/features/verdicts/limits";
import type { Over } from "./shown";
import type { TrialSeries } from "./trialSeries";

type Values = readonly (number | null)[];

const DATA_AXES: Axis[] = [
  { unit: "MB", size: 1e6 },
  { unit: "GB", size: 1e9 },
  { unit: "TB", size: 1e12 },
];

/** The unit in which an axis of so much data reads best. */
export const dataAxis = (bytes: number): Axis =>
  DATA_AXES.findLast(({ size }) => bytes >= 2 * size) ?? { unit: "MB", size: 1e6 };

const column = (marks: Marks, name: string): Values => marks.columns[name] ?? [];

export interface Extent {
  over: Over;
  axis: Axis;
  /** The whole trial, in nanoseconds or bytes. */
  end: number;
}

/** Where a level begins on an axis. */
export const levelBegin =
  ({ over, axis }: Extent) =>
  ({ from_ns, from_bytes }: Levels[number]): number =>
    (over === "time" ? from_ns : from_bytes) / axis.size;

/** The axis over the whole trial; `memory` are the bytes that the host may cache. */
export function extentOf({ marks, samples }: TrialSeries, over: Over, memory = 0): Extent {
  if (over === "time") {
    const end = Math.max(samples.columns.t_ns?.at(-1) ?? 0, column(marks, "t_ns").at(-1) ?? 0);
    return { over, axis: timeAxis(end), end };
  }
  const extent = dataExtent(marks);
  const share: Axis = { unit: "%", size: memory / 100 };
  return { ...extent, over, axis: over === "memory" && memory > 0 ? share : extent.axis };
}

/** The axis over the data of a trial. */
export function dataExtent(marks: Marks): Extent {
  const end = column(marks, "end_bytes").at(-1) ?? 0;
  return { over: "data", axis: dataAxis(end), end };
}

/** The title of the horizontal axis. */
export function axisTitle({ over, axis }: Extent, operation: Operation | null): string {
  if (over === "time") return `Time since start of trial (${axis.unit})`;
  return `${capital(dataWords(operation))} (${axis.unit === "%" ? "% of memory" : axis.unit})`;
}

export interface StripOptions {
  name: string;
  style: number;
  label: string;
  /** Null for the strips of trials of which some write and some read. */
  operation: Operation | null;
  unit: RateUnit;
  /** Limits of throughput and of operation times. */
  limits?: DrawnLimits;
}

const HEIGHTS = { throughput: 200, peak: 96, backlog: 72, cpu: 80, memory: 72, device: 72 };
const MILLISECOND = 1e6;

/** A trial in one direction, as far as it is looked at, and the whole of it. */
export interface TrialPart {
  shown: TrialSeries;
  whole: TrialSeries;
  options: StripOptions;
}

/**
 * Throughput, peak operation time, backlog and host load of one trial with a common axis. Of a trial
 * that writes and reads, each direction is a line; the host's load is as seen beside the first.
 */
export function trialStrips(parts: readonly TrialPart[], extent: Extent): Strip[] {
  const [first] = parts;
  if (!first) return [];
  const { shown, whole, options } = first;
  const { axis, end } = extent;
  const samples = extent.over === "time" ? shown.samples : overData(shown.samples, whole.marks);
  const { throughput = [], operationTime = [] } = options.limits ?? {};
  const limits = [
    throughput.map(({ value, label }) => ({ value: rateIn(value, options.unit), label })),
    operationTime.map(({ value, label }) => ({ value: value / MILLISECOND, label })),
  ];
  const strips = [
    ...mainStrips(parts, extent).map((strip, index) => ({
      ...strip,
      limits: limits[index],
    })),
    backlogStrip(parts, extent),
    cpuStrip(samples, end, HEIGHTS.cpu, axis),
    memoryStrip(samples, end, HEIGHTS.memory, axis),
    deviceStrip(samples, end, options.unit, HEIGHTS.device, axis),
  ];
  return strips.filter((strip) => strip !== null);
}

/** Throughput and peak operation time of one or more trials. */
export function mainStrips(
  trials: readonly { shown: TrialSeries; options: StripOptions }[],
  extent: Extent,
): Strip[] {
  const { unit = "MB/s" } = trials[0]?.options ?? {};
  if (extent.over === "time") {
    const series = trials.map(
      ({ shown, options }): Series => ({ ...options, samples: shown.samples }),
    );
    const axis = timeAxis(extent.end);
    const throughput = throughputStrip(series, unit, HEIGHTS.throughput, axis);
    return [
      { ...throughput, lines: throughput.lines.filter((line) => !isBriefSync(line, extent)) },
      { ...latencyStrip(series, HEIGHTS.peak, axis), title: peakTitle(trials) },
    ];
  }
  return dataStrips(
    trials.map(({ shown: { marks }, options }) => ({ marks, options })),
    extent,
  );
}

/** "Peak write time" */
const peakTitle = (trials: readonly { options: StripOptions }[]): string =>
  `Peak ${timeWords(trials[0]?.options.operation ?? null)}`;

/** Throughput and peak operation time of one or more trials over the data moved. */
export function dataStrips(
  trials: readonly { marks: Marks; options: StripOptions }[],
  extent: Extent,
): Strip[] {
  const unit = trials[0]?.options.unit ?? "MB/s";
  return [
    {
      title: "Throughput",
      unit,
      height: HEIGHTS.throughput,
      lines: trials.map(({ marks, options }) => {
        const rate = (name: string) =>
          stepped(mapped(column(marks, name), (bytesPerS) => rateIn(bytesPerS, unit)));
        return {
          ...options,
          x: positions(marks, extent),
          y: rate("rate_mean_bytes_per_s"),
          band: { low: rate("rate_min_bytes_per_s"), high: rate("rate_max_bytes_per_s") },
          stepped: true,
        };
      }),
    },
    {
      title: peakTitle(trials),
      unit: "ms",
      height: HEIGHTS.peak,
      lines: trials.map(({ marks, options: { name, style } }) => ({
        name,
        style,
        x: positions(marks, extent),
        y: stepped(mapped(column(marks, "lat_max_ns"), (ns) => ns / MILLISECOND)),
        stepped: true,
      })),
    },
  ];
}

/** So short a final sync would only stretch the axis of throughput. */
const BRIEF = 0.02;

/** Whether a line shows the device in a final sync that was brief. */
function isBriefSync({ name, x, y }: Line, { axis, end }: Extent): boolean {
  if (!name.endsWith("device in the final sync")) return false;
  const first = y.findIndex((value) => value !== null);
  return ((x.at(-1) ?? 0) - (x[Math.max(0, first - 1)] ?? 0)) * axis.size < BRIEF * end;
}

/** What was due and not yet moved; null unless the trial was paced by a rate. */
function backlogStrip(parts: readonly TrialPart[], extent: Extent): Strip | null {
  const lines = parts.flatMap(({ shown: { marks }, options }): Line[] => {
    const backlog = column(marks, "backlog_bytes");
    if (backlog.every((value) => value === null)) return [];
    const y = stepped(mapped(backlog, (bytes) => bytes / 1e6));
    const name = parts.length > 1 ? `backlog, ${options.name}` : "backlog";
    return [{ name, style: options.style, x: positions(marks, extent), y, stepped: true }];
  });
  return lines.length > 0 ? { title: "Backlog", unit: "MB", height: HEIGHTS.backlog, lines } : null;
}

/** The begin of the first mark and the end of each, on the axis. */
function positions(marks: Marks, { over, axis }: Extent): number[] {
  const ends = column(marks, over === "time" ? "t_ns" : "end_bytes");
  if (ends.length === 0) return [];
  const first =
    over === "time"
      ? (ends[0] ?? 0) - (column(marks, "dt_ns")[0] ?? 0)
      : (column(marks, "begin_bytes")[0] ?? 0);
  return [first, ...ends].map((end) => (end ?? 0) / axis.size);
}

/** The first value also at its begin, so that it is drawn in its full width. */
const stepped = (values: (number | null)[]): (number | null)[] =>
  values.length > 0 ? [values[0] ?? null, ...values] : [];

/** The samples with data in place of time; those of the final sync move none and are left out. */
export function overData(samples: Samples, marks: Marks): Samples {
  const ends = samples.columns.t_ns ?? [];
  const synced = (samples.columns.phase ?? []).indexOf(SYNC);
  const kept = synced < 0 ? ends.length : synced;
  const bytes = ends.slice(0, kept).map((end) => bytesAt(marks, end ?? 0));
  const begins = ends
    .slice(0, kept)
    .map((end, index) => bytesAt(marks, (end ?? 0) - (samples.columns.dt_ns?.[index] ?? 0)));
  const columns = Object.fromEntries(
    Object.entries(samples.columns).map(([name, values]) => [name, values.slice(0, kept)]),
  );
  return {
    ...samples,
    sample_ns: 0, // lengths are bytes: none is a fragment of a sampling interval
    columns: {
      ...columns,
      t_ns: bytes,
      dt_ns: bytes.map((end, index) => end - (begins[index] ?? end)),
    },
  };
}

/** The data moved by a time, between marks in proportion. */
export const bytesAt = (marks: Marks, ns: number): number =>
  between(ns, column(marks, "t_ns"), column(marks, "end_bytes"), startOf(marks));

/** The time by which so much data was moved. */
export function nsAt(marks: Marks, bytes: number): number {
  const start = startOf(marks);
  return between(bytes, column(marks, "end_bytes"), column(marks, "t_ns"), {
    from: start.to,
    to: start.from,
  });
}

interface Start {
  from: number;
  to: number;
}

const startOf = (marks: Marks): Start => ({
  from: (column(marks, "t_ns")[0] ?? 0) - (column(marks, "dt_ns")[0] ?? 0),
  to: column(marks, "begin_bytes")[0] ?? 0,
});

function between(value: number, from: Values, to: Values, start: Start): number {
  const index = from.findIndex((each) => (each ?? 0) >= value);
  if (index < 0) return to.at(-1) ?? 0;
  const [low, high] = [index > 0 ? (from[index - 1] ?? 0) : start.from, from[index] ?? 0];
  const [begin, end] = [index > 0 ? (to[index - 1] ?? 0) : start.to, to[index] ?? 0];
  const share = high > low ? Math.max(0, (value - low) / (high - low)) : 1;
  return begin + share * (end - begin);
}

/** The marks one below the other, in the units of the picture. */
export function marksTable(
  marks: Marks | undefined,
  operation: Operation | null,
  unit: RateUnit,
): DataTable {
  const rate = (bytesPerS: number) => rateIn(bytesPerS, unit);
  const ms = (ns: number) => ns / 1e6;
  const columns: [title: string, name: string, change: (value: number) => number][] = [
    [`${dataWords(operation)} (GB)`, "end_bytes", (bytes) => bytes / 1e9],
    ["time (s)", "t_ns", (ns) => ns / 1e9],
    [`throughput minimum (${unit})`, "rate_min_bytes_per_s", rate],
    [`throughput mean (${unit})`, "rate_mean_bytes_per_s", rate],
    [`throughput maximum (${unit})`, "rate_max_bytes_per_s", rate],
    [`mean ${timeWords(operation)} (ms)`, "lat_mean_ns", ms],
    [`p99 ${timeWords(operation)} (ms)`, "lat_p99_ns", ms],
    [`peak ${timeWords(operation)} (ms)`, "lat_max_ns", ms],
    ["peak from due time (ms)", "due_max_ns", ms],
    ["backlog (MB)", "backlog_bytes", (bytes) => bytes / 1e6],
  ];
  const count = marks?.columns.t_ns?.length ?? 0;
  return {
    columns: columns.map(([title]) => title),
    rows: Array.from({ length: count }, (_, index) =>
      columns.map(([, name, change]): Value => {
        const value = marks?.columns[name]?.[index] ?? null;
        return value === null ? null : Number(change(value).toPrecision(6));
      }),
    ),
  };
}

/** The marks of each direction, with a column that names it where there are two. */
export function marksTables(
  parts: readonly { operation: Operation }[],
  marks: readonly Marks[],
  operation: Operation | null,
  unit: RateUnit,
): DataTable {
  const tables = marks.map((one) => marksTable(one, operation, unit));
  const [first, ...others] = tables;
  if (!first || others.length === 0) return first ?? marksTable(undefined, operation, unit);
  return {
    columns: ["operation", ...first.columns],
    rows: tables.flatMap(({ rows }, at) => rows.map((row) => [parts[at]?.operation ?? "", ...row])),
  };
}
