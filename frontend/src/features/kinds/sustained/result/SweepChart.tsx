/** A sweep as strips over its axis, and as a table. */
import { useMemo } from "react";
import { Chart } from "@/charts/Chart";
import type { DataTable } from "@/charts/dataTable";
import {
  type ChartPalette,
  type Figure,
  type Line,
  type Strip,
  useChartPalette,
  withPlaces,
} from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { formatLatency, type RateUnit, rateIn } from "@/components/quantities";
import {
  cellWords,
  operationOf,
  type Sustained,
  type SustainedCell,
  timeWords,
} from "@/features/kinds/sustained/sustained";
import { type Sweep, type SweepLine, sweepOf, sweepsDepth } from "./sweep";

interface SweepChartProps {
  result: Sustained;
  unit: RateUnit;
  filename: string;
}

/** The cells of a sweep over its axis: operations per second, throughput and latency. */
export function SweepChart({ result, unit, filename }: SweepChartProps) {
  const palette = useChartPalette();
  const sweep = useMemo(() => sweepOf(result, unit), [result, unit]);
  const figure = useMemo(
    () => (sweep ? sweepFigure(result, sweep, unit, palette) : null),
    [result, sweep, unit, palette],
  );
  if (!sweep || !figure) return null;
  const axis = sweep.title.toLowerCase();
  const random = result.access === "random";
  return (
    <Chart
      title={`${random ? "IOPS, throughput" : "Throughput"} and latency over ${axis}`}
      description={`${sweep.values.length} values of ${axis}, from ${sweep.text(sweep.values[0] ?? 0)} to ${sweep.text(sweep.values.at(-1) ?? 0)}. The Table button shows all values.`}
      figure={figure}
      empty="No cell has a result."
      height={figure.height}
      table={() => sweepTable(result, sweep, unit)}
      filename={filename}
    />
  );
}

const HEIGHT = 150;
/** A label of a line, in pixels; the strip is as high as its labels need. */
const LABEL_HEIGHT = 15;
const LETTER = 6;
const MILLISECOND = 1e6;
/** Lines of one color and different dashes are this far apart. */
const DASHED = 8;

/** Each doubling of the axis takes the same room. */
const placeOf = (value: number): number => Math.log2(value);

/** Operations per second, throughput and latency over the axis; null if no cell has a figure. */
export function sweepFigure(
  result: Sustained,
  sweep: Sweep,
  unit: RateUnit,
  palette: ChartPalette,
): Figure | null {
  const { lines, values } = sweep;
  const strips = stripsOf(result, lines, unit).filter((strip) => strip.lines.length > 0);
  if (strips.length === 0) return null;
  const places = values.map((value) => ({ at: placeOf(value), text: sweep.text(value) }));
  const [first, last] = [places[0]?.at ?? 0, places.at(-1)?.at ?? 1];
  const margin = (last - first) / 20;
  const labels = strips.flatMap((strip) => strip.lines.map(({ label = "" }) => label.length));
  const spot = spotOf(result, lines);
  const figure = stripsFigure(strips, {
    palette,
    xTitle: `${sweep.title}, logarithmic`,
    marks: spot === null ? [] : [{ at: placeOf(spot), label: "sweet spot", sentence: "" }],
    revision: `${result.run_id} ${sweep.title}`,
    labelRoom: 16 + LETTER * Math.max(...labels),
    span: [first - margin, last + margin],
  });
  // The table names the sweet spot; a button that zooms to it would show nothing more.
  return withPlaces({ ...figure, marks: [] }, places);
}

/** The value of the axis at the sweet spot; null without one. */
function spotOf({ sweet_spot: spot }: Sustained, lines: readonly SweepLine[]): number | null {
  const cells = lines.flatMap((line) => line.cells);
  return cells.find(({ cell }) => cell.key === spot?.cell)?.value ?? null;
}

function stripsOf(result: Sustained, lines: readonly SweepLine[], unit: RateUnit): Strip[] {
  const time = timeWords(operationOf([result]));
  const inUnit = (bytesPerS: number) => rateIn(bytesPerS, unit);
  const height = Math.max(HEIGHT, lines.length * LABEL_HEIGHT);
  const strip = (title: string, of: string, figures: readonly Drawable[]): Strip => ({
    title,
    unit: of,
    height,
    lines: figures.map(lineOf).filter(({ y }) => y.some((value) => value !== null)),
  });
  const each = (figureOf: FigureOf): Drawable[] =>
    lines.map((line, style) => ({ line, style, label: line.name, figureOf }));
  const application = each(({ application: rate }) => spread(rate, inUnit));
  const isDurable = lines.length === 1 && result.cells.some(({ durable }) => durable !== null);
  return [
    ...(result.access === "random"
      ? [
          strip(
            "Operations per second",
            "IOPS",
            each(({ iops }) => spread(iops, Number)),
          ),
        ]
      : []),
    strip("Throughput", unit, [
      ...(isDurable ? application.map((one) => ({ ...one, label: "application" })) : application),
      ...(isDurable
        ? application.map((one) => ({
            ...one,
            style: one.style + DASHED,
            label: "durable",
            figureOf: ({ durable }: SustainedCell) => spread(durable, inUnit),
          }))
        : []),
    ]),
    strip(`p99 ${time}`, "ms", each(p99Of)),
    {
      ...strip(
        `Peak ${time}`,
        "ms",
        each(({ peak_ns: ns }) => single(ns)),
      ),
      limits: [
        {
          value: result.peak_limit_ns / MILLISECOND,
          label: `sweet spot below ${formatLatency(result.peak_limit_ns)}`,
        },
      ],
    },
  ];
}

/** A mean of repeats with the interval that it lies in; a single figure has none. */
interface Spread {
  mean: number | null;
  low: number | null;
  high: number | null;
}

type FigureOf = (cell: SustainedCell) => Spread;
type Drawable = { line: SweepLine; style: number; label: string; figureOf: FigureOf };

const single = (ns: number | null): Spread => {
  const mean = ns === null ? null : ns / MILLISECOND;
  return { mean, low: mean, high: mean };
};

function spread(repeats: SustainedCell["application"], scaled: (value: number) => number): Spread {
  if (repeats === null) return single(null);
  const mean = scaled(repeats.mean);
  const { low, high } = repeats.interval ?? { low: repeats.mean, high: repeats.mean };
  return { mean, low: Math.max(0, scaled(low)), high: scaled(high) };
}

const p99Of = ({ latency }: SustainedCell): Spread =>
  single(latency.find(({ share }) => share === 0.99)?.ns ?? null);

function lineOf({ line, style, label, figureOf }: Drawable): Line {
  const found = line.cells.map(({ cell }) => figureOf(cell));
  return {
    name: label,
    label,
    style,
    points: "joined",
    x: line.cells.map(({ value }) => placeOf(value)),
    y: found.map(({ mean }) => mean),
    band: { low: found.map(({ low }) => low), high: found.map(({ high }) => high) },
  };
}

/** The same figures as a table. */
export function sweepTable(result: Sustained, sweep: Sweep, unit: RateUnit): DataTable {
  const time = timeWords(operationOf([result]));
  const random = result.access === "random";
  const inUnit = (rate: SustainedCell["application"]) => (rate ? rateIn(rate.mean, unit) : null);
  return {
    columns: [
      "cell",
      sweep.title.toLowerCase(),
      ...(random ? ["IOPS"] : []),
      `application (${unit})`,
      `durable (${unit})`,
      `p99 ${time} (ms)`,
      `peak ${time} (ms)`,
    ],
    rows: sweep.lines.flatMap(({ cells }) =>
      cells.map(({ value, cell }) => [
        cellWords(cell, sweepsDepth(result)),
        value,
        ...(random ? [cell.iops?.mean ?? null] : []),
        inUnit(cell.application),
        inUnit(cell.durable),
        p99Of(cell).mean,
        single(cell.peak_ns).mean,
      ]),
    ),
  };
}
