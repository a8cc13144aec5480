import { useMemo } from "react";
import { Chart } from "@/charts/Chart";
import type { DataTable } from "@/charts/dataTable";
import { useChartPalette } from "@/charts/palette";
import { type Phase, type Strip, stripsFigure } from "@/charts/strips";
import { formatRate, type RateUnit, rateIn } from "@/components/quantities";
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

/** The current trial as it runs: throughput, and how long the slowest operation took. */
export function LiveStrip({ trialId, points, moved, unit }: LiveStripProps) {
  const palette = useChartPalette();
  const figure = useMemo(() => {
    if (points.length === 0) return null;
    return stripsFigure(liveStrips(points, moved, unit), {
      palette,
      xTitle: "Time since the trial began (s)",
      phases: syncPhase(points, moved),
      revision: String(trialId),
    });
  }, [points, moved, unit, palette, trialId]);
  const last = points.at(-1);
  return (
    <Chart
      title="Current trial: throughput and peak latency"
      description={`Throughput and peak latency of the current trial; last ${last ? formatRate(rateOf(last), unit) : "unknown"}.`}
      figure={figure}
      empty="Waiting for the first sample of this trial."
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

export function liveStrips(
  points: readonly SamplePoint[],
  moved: boolean,
  unit: RateUnit,
): Strip[] {
  const [first] = points;
  const start = first ? (first[0] - first[1]) / 1e9 : 0;
  const moving = points.slice(0, movingPoints(points, moved));
  const line = (
    name: string,
    shown: readonly SamplePoint[],
    valueAt: (point: SamplePoint) => number,
  ) => ({
    name,
    style: 0,
    x: [start, ...shown.map(([endNs]) => endNs / 1e9)],
    y: [...shown.slice(0, 1), ...shown].map(valueAt),
    stepped: true,
  });
  return [
    {
      title: "Throughput",
      unit,
      height: HEIGHTS.throughput,
      lines: [line("throughput", moving, (point) => rateIn(rateOf(point), unit))],
    },
    {
      title: "Peak latency",
      unit: "ms",
      height: HEIGHTS.latency,
      lines: [line("peak latency", points, (point) => peakOf(point) / 1e6)],
    },
  ];
}

function syncPhase(points: readonly SamplePoint[], moved: boolean): Phase[] {
  const sync = points.slice(movingPoints(points, moved));
  const [first, last] = [sync[0], sync.at(-1)];
  if (!first || !last) return [];
  return [{ name: "final sync", from: (first[0] - first[1]) / 1e9, to: last[0] / 1e9 }];
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
