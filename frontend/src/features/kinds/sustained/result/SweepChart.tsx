import { useMemo } from "react";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/palette";
import type { RateUnit } from "@/components/quantities";
import type { Sustained } from "@/features/kinds/sustained/shapes";
import { sweepOf } from "./sweep";
import { sweepFigure, sweepTable } from "./sweepFigure";

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
