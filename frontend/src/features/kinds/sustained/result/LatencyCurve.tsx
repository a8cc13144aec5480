import { useMemo } from "react";
import { Chart } from "@/charts/Chart";
import type { DataTable } from "@/charts/dataTable";
import { type Figure, type Line, type Place, useChartPalette, withPlaces } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { formatLatency } from "@/components/quantities";
import {
  capital,
  type LatencyPoint,
  type Operation,
  type SustainedCell,
  timeWords,
} from "@/features/kinds/sustained/sustained";

const HEIGHT = 290;
const TICKS = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999];

/** Where a share is drawn: one step further for each nine, so that the tail has room. */
const nines = (share: number): number => -Math.log10(1 - share);

/** Ticks are where the axis has room for them; the cursor stops at every percentile. */
const PERCENTILES: Place[] = [
  ...[0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
  ...[0.95, 0.99, 0.995, 0.999, 0.9995, 0.9999, 0.99995, 0.99999],
].map((share) => ({
  at: nines(share),
  text: share === 0 ? "minimum" : `p${Number((share * 100).toPrecision(7))}`,
  minor: !TICKS.includes(share),
}));

/** Latency percentiles up to 99.999 %, of operations and, where a rate is paced, from their due times. */
export function LatencyCurve({
  operation,
  cell,
  nameOf,
  filename,
}: {
  operation: Operation;
  cell: SustainedCell;
  /** The names of participants, where there are several. */
  nameOf?: (participant: number) => string | null;
  filename: string;
}) {
  const palette = useChartPalette();
  const figure = useMemo(() => {
    const lines: Line[] = curvesOf(cell).filter(({ x }) => x.length > 1);
    if (lines.length === 0) return null;
    const plain = stripsFigure(
      [{ title: capital(timeWords(operation)), unit: "ms, logarithmic", height: 220, lines }],
      { palette, xTitle: "Percentile", revision: cell.key, labelRoom: 96 },
    );
    return withPlaces(logarithmic(plain, lines), PERCENTILES);
  }, [operation, cell, palette]);
  const longest = cell.latency.at(-1)?.ns;
  return (
    <Chart
      title="Latency percentiles"
      description={`Latency by percentile; longest ${longest === undefined ? "unknown" : formatLatency(longest)}. The Table button shows all values.`}
      figure={figure}
      empty="Too few operations have completed."
      height={HEIGHT}
      table={() => tableOf(cell, nameOf)}
      filename={filename}
    />
  );
}

/** The service times, of a mixed cell by direction, and those from the due time. */
function curvesOf({ latency, due_latency, directions }: SustainedCell): Line[] {
  const found =
    directions.length > 0
      ? directions.map((one, style) => curve(`${one.operation}s`, one.latency, style))
      : [curve("service time", latency, 0)];
  return due_latency.length > 0
    ? [...found, curve("from due time", due_latency, found.length)]
    : found;
}

function tableOf(
  { latency, due_latency, directions }: SustainedCell,
  nameOf?: (participant: number) => string | null,
): DataTable {
  const columns = [
    { name: "service time (ms)", points: latency },
    ...directions.map((one) => ({ name: `${one.operation}s (ms)`, points: one.latency })),
    { name: "from due time (ms)", points: due_latency },
  ];
  return {
    columns: [
      "percentile (%)",
      ...columns.map(({ name }) => name),
      ...(nameOf ? ["slowest service time of"] : []),
    ],
    rows: latency.map(({ share, participant_id }) => [
      Number((share * 100).toPrecision(7)),
      ...columns.map(({ points }) => at(points, share)),
      ...(nameOf ? [participant_id == null ? null : nameOf(participant_id)] : []),
    ]),
  };
}

const at = (points: readonly LatencyPoint[], share: number): number | null => {
  const found = points.find((point) => point.share === share);
  return found ? found.ns / 1e6 : null;
};

/** The longest is not drawn: its share has no place on the axis. */
function curve(name: string, points: readonly LatencyPoint[], style: number): Line {
  const drawn = points.filter(({ share, ns }) => share < 1 && ns > 0);
  return {
    name,
    label: name,
    style,
    x: drawn.map(({ share }) => nines(share)),
    y: drawn.map(({ ns }) => ns / 1e6),
  };
}

/** The figure with a logarithmic axis of time. */
function logarithmic(figure: Figure, lines: readonly Line[]): Figure {
  const values = lines.flatMap(({ y }) => y.filter((value) => value !== null));
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const { layout } = figure;
  const yaxis = {
    ...(layout.yaxis as object),
    type: "log",
    range: [low - 0.1, Math.max(high + 0.1, low + 1)],
    rangemode: "normal",
    dtick: 1,
  };
  const annotations = (layout.annotations as { yref?: string; y?: number }[]).map((one) =>
    one.yref === "y" && one.y ? { ...one, y: Math.log10(one.y) } : one,
  );
  return { ...figure, layout: { ...layout, yaxis, annotations } };
}
