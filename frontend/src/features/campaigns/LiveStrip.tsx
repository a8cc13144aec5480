import { useMemo } from "react";
import type { Samples } from "@/api/shapes";
import { Chart } from "@/charts/Chart";
import type { DataTable } from "@/charts/dataTable";
import { type Strip, type TimeAxis, useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { formatRate, type RateUnit, rateIn } from "@/components/quantities";
import { totalOf } from "@/features/samples/combined";
import { latencyStrip, type Series, syncPhases, throughputStrip } from "@/features/samples/series";
import type { SamplePoint } from "./feed";

/** The samples of one participant's part of the trial. */
export interface Course {
  name: string;
  points: readonly SamplePoint[] | undefined;
  /** Its data counts for the run; what a sender sends counts where it arrives. */
  counts: boolean;
}

export interface LiveStripProps {
  trialId: number;
  courses: readonly Course[];
  unit: RateUnit;
  /** Whether operations are timed; else only the data is seen. */
  hasLatencies: boolean;
}

const HEIGHTS = { throughput: 140, latency: 72 };
const CHART_HEIGHT = 330;
/** For the names of participants next to their lines. */
const LABEL_ROOM = 84;
const AXIS: TimeAxis = { unit: "s", size: 1e9 };

/** The latest trial as it runs: throughput, and how long the slowest operation took. */
export function LiveStrip({ trialId, courses, unit, hasLatencies }: LiveStripProps) {
  const palette = useChartPalette();
  const figure = useMemo(() => {
    const series = liveSeries(trialId, courses);
    if (series.length === 0) return null;
    const [only] = series;
    const [throughput, latency] = liveStrips(series, unit, totalSeries(trialId, courses));
    return stripsFigure(hasLatencies ? [throughput, latency] : [throughput], {
      palette,
      xTitle: "Time since start of trial (s)",
      phases: only && series.length === 1 ? syncPhases(only.samples, AXIS) : [],
      revision: String(trialId),
      span: [0, endOf(courses)],
      ...(courses.length > 1 ? { labelRoom: LABEL_ROOM } : {}),
    });
  }, [courses, unit, palette, trialId, hasLatencies]);
  const latest = courses.flatMap(({ points, counts }) => {
    const last = points?.at(-1);
    return last && counts ? [rateOf(last)] : [];
  });
  const rate = latest.length > 0 ? latest.reduce((a, b) => a + b) : null;
  const shows = hasLatencies ? "throughput and peak latency" : "throughput";
  return (
    <Chart
      title={`Latest trial: ${shows}`}
      description={`Latest trial, ${shows}; last ${rate === null ? "unknown" : formatRate(rate, unit)}.`}
      figure={figure}
      empty="Waiting for the first sample."
      height={CHART_HEIGHT}
      table={() => liveTable(courses, unit, hasLatencies)}
      filename={`trial-${trialId}-live`}
    />
  );
}

/** The end of the last sample, in seconds. */
const endOf = (courses: readonly Course[]): number =>
  Math.max(0, ...courses.map(({ points }) => points?.at(-1)?.[0] ?? 0)) / AXIS.size;

/** Bytes per second of one sample. */
export const rateOf = ([, dtNs, bytes]: SamplePoint): number =>
  dtNs > 0 ? (bytes / dtNs) * 1e9 : 0;

/** The longest completed operation, or the oldest one in flight. */
const peakOf = ([, , , , latMaxNs, oldestNs]: SamplePoint): number => Math.max(latMaxNs, oldestNs);

/** The points in the format of a trial's samples, as the charts use it. */
export function liveSamples(trialId: number, points: readonly SamplePoint[]): Samples {
  // Every run has its own sampling interval; nearly all of the newest samples have its length.
  const sampleNs = Math.max(0, ...points.slice(-10).map(([, dtNs]) => dtNs));
  return {
    trial_id: trialId,
    participant_id: 0,
    attempt: 1,
    sample_ns: sampleNs,
    count: points.length,
    level: 0,
    implausible: [],
    columns: {
      t_ns: points.map(([endNs]) => endNs),
      dt_ns: points.map(([, dtNs]) => dtNs),
      phase: points.map(([, , , , , , , phase]) => phase),
      rate_mean_bytes_per_s: points.map(rateOf),
      lat_max_ns: points.map(([, , , , latMaxNs]) => latMaxNs),
      oldest_ns: points.map(([, , , , , oldestNs]) => oldestNs),
      dev_write_bytes_per_s: points.map(([, dtNs, , , , , bytes]) =>
        bytes === null || dtNs === 0 ? null : (bytes / dtNs) * 1e9,
      ),
    },
  };
}

/** The throughput of the participants that have started; a single one needs no label. */
export function liveSeries(trialId: number, courses: readonly Course[]): Series[] {
  return courses.flatMap(({ name, points }, index) =>
    points && points.length > 0
      ? {
          name: courses.length > 1 ? name : "latest trial",
          label: courses.length > 1 ? name : "",
          style: index < INK ? index : index + 1,
          samples: liveSamples(trialId, points),
        }
      : [],
  );
}

/** The style of the ink: the sum belongs to no participant. */
const INK = 7;

/** What all participants whose data counts move together; none if that is only one. */
export function totalSeries(trialId: number, courses: readonly Course[]): Series[] {
  const counted = liveSeries(
    trialId,
    courses.filter(({ counts }) => counts),
  );
  if (counted.length < 2) return [];
  const whole = counted.map(({ samples }) => samples);
  const [first] = whole as [Samples];
  const total = totalOf(whole);
  return [
    {
      name: "all together",
      label: "all together",
      style: INK,
      samples: {
        ...first,
        ...total,
        columns: { phase: total.columns.t_ns?.map(() => 0) ?? [], ...total.columns },
      },
    },
  ];
}

export function liveStrips(
  series: Series[],
  unit: RateUnit,
  total: Series[] = [],
): [throughput: Strip, latency: Strip] {
  return [
    throughputStrip([...total, ...series], unit, HEIGHTS.throughput, AXIS),
    latencyStrip(series, HEIGHTS.latency, AXIS),
  ];
}

function liveTable(courses: readonly Course[], unit: RateUnit, hasLatencies: boolean): DataTable {
  const ofOperations = hasLatencies ? ["operations", "peak latency (ms)"] : [];
  return {
    columns: ["host", "time (s)", `throughput (${unit})`, ...ofOperations],
    rows: courses.flatMap(({ name, points }) =>
      (points ?? []).map((point) => [
        name,
        point[0] / 1e9,
        Number(rateIn(rateOf(point), unit).toPrecision(6)),
        ...(hasLatencies ? [point[3], Number((peakOf(point) / 1e6).toPrecision(6))] : []),
      ]),
    ),
  };
}
