import { useMemo } from "react";
import type { Samples } from "@/api/shapes";
import { Chart } from "@/charts/Chart";
import type { DataTable } from "@/charts/dataTable";
import { useChartPalette } from "@/charts/palette";
import { type Strip, stripsFigure } from "@/charts/strips";
import type { TimeAxis } from "@/charts/timeAxis";
import { formatRate, type RateUnit, rateIn } from "@/components/quantities";
import {
  latencyStrip,
  type Series,
  SYNC,
  syncPhases,
  throughputStrip,
  WRITE,
} from "@/features/samples/series";
import type { SamplePoint } from "./feed";

interface LiveStripProps {
  trialId: number;
  points: readonly SamplePoint[];
  /** All bytes of the trial are written or read: what comes now is its final sync. */
  moved: boolean;
  unit: RateUnit;
}

const HEIGHTS = { throughput: 140, latency: 72 };
const CHART_HEIGHT = 330;
const AXIS: TimeAxis = { unit: "s", size: 1e9 };

/** The latest trial as it runs: throughput, and how long the slowest operation took. */
export function LiveStrip({ trialId, points, moved, unit }: LiveStripProps) {
  const palette = useChartPalette();
  const figure = useMemo(() => {
    if (points.length === 0) return null;
    const samples = liveSamples(trialId, points, moved);
    return stripsFigure(liveStrips(samples, unit), {
      palette,
      xTitle: "Time since start of trial (s)",
      phases: syncPhases(samples, AXIS),
      revision: String(trialId),
    });
  }, [points, moved, unit, palette, trialId]);
  const last = points.at(-1);
  return (
    <Chart
      title="Latest trial: throughput and peak latency"
      description={`Throughput and peak latency of the latest trial; last ${last ? formatRate(rateOf(last), unit) : "unknown"}.`}
      figure={figure}
      empty="Waiting for the first sample."
      height={CHART_HEIGHT}
      table={() => liveTable(points, unit)}
      filename={`trial-${trialId}-live`}
    />
  );
}

/** Bytes per second of one sample. */
export const rateOf = ([, dtNs, bytes]: SamplePoint): number =>
  dtNs > 0 ? (bytes / dtNs) * 1e9 : 0;

/** The longest operation that ended, or the oldest one that still hangs. */
const peakOf = ([, , , , latMaxNs, oldestNs]: SamplePoint): number => Math.max(latMaxNs, oldestNs);

/**
 * How many of the points belong to the writing or reading itself. Once all bytes have moved, the
 * intervals without any are the final sync, which is no stall; before, they are one.
 */
export function movingPoints(points: readonly SamplePoint[], moved: boolean): number {
  return moved ? points.findLastIndex(([, , bytes]) => bytes > 0) + 1 : points.length;
}

/** The points as the samples of a trial, which is what pictures are made of. */
export function liveSamples(
  trialId: number,
  points: readonly SamplePoint[],
  moved: boolean,
): Samples {
  const moving = movingPoints(points, moved);
  // Every run has its own interval; nearly all of the newest samples are as long as it.
  const sampleNs = Math.max(0, ...points.slice(-10).map(([, dtNs]) => dtNs));
  return {
    trial_id: trialId,
    attempt: 1,
    sample_ns: sampleNs,
    count: points.length,
    level: 0,
    implausible: [],
    columns: {
      t_ns: points.map(([endNs]) => endNs),
      dt_ns: points.map(([, dtNs]) => dtNs),
      phase: points.map((_, index) => (index < moving ? WRITE : SYNC)),
      rate_mean_bytes_per_s: points.map(rateOf),
      lat_max_ns: points.map(([, , , , latMaxNs]) => latMaxNs),
      oldest_ns: points.map(([, , , , , oldestNs]) => oldestNs),
    },
  };
}

export function liveStrips(samples: Samples, unit: RateUnit): Strip[] {
  const series: Series[] = [{ name: "latest trial", label: "", style: 0, samples }];
  return [
    throughputStrip(series, unit, HEIGHTS.throughput, AXIS),
    latencyStrip(series, HEIGHTS.latency, AXIS),
  ];
}

function liveTable(points: readonly SamplePoint[], unit: RateUnit): DataTable {
  return {
    columns: ["time (s)", `throughput (${unit})`, "operations", "peak latency (ms)"],
    rows: points.map((point) => [
      point[0] / 1e9,
      Number(rateIn(rateOf(point), unit).toPrecision(6)),
      point[3],
      Number((peakOf(point) / 1e6).toPrecision(6)),
    ]),
  };
}
