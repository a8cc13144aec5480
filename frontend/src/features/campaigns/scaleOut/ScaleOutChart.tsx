import { upperFirst } from "@mantine/hooks";
import { useMemo } from "react";
import type { ScaleOutCurve } from "@/api/shapes";
import { Chart } from "@/charts/Chart";
import type { Figure, Line } from "@/charts/figure";
import { useChartPalette } from "@/charts/palette";
import { withPlaces } from "@/charts/places";
import { stripsFigure } from "@/charts/strips";
import { type RateUnit, rateIn } from "@/components/quantities";
import { efficiencyText, oneOf } from "./words";

const HEIGHT = 240;

type Which = "application" | "durable";

/** The aggregate over the number of targets or pairs, beside N times the rate of one. */
export function ScaleOutChart({
  curve,
  which,
  unit,
  filename,
}: {
  curve: ScaleOutCurve;
  which: Which;
  unit: RateUnit;
  filename: string;
}) {
  const palette = useChartPalette();
  const { runs, counted } = curve;
  const figure = useMemo(() => drawn(curve, which, unit, palette), [curve, which, unit, palette]);
  const alone = runs[0]?.[which] ?? null;
  return (
    <Chart
      title={`Aggregate rate over the number of ${counted}, ${which}`}
      description={runs
        .map((run) => `${run.targets}: efficiency ${efficiencyText(run[which], alone, counted)}`)
        .join(", ")}
      figure={figure}
      empty="No run has a result."
      height={HEIGHT}
      table={() => ({
        columns: [counted, `${which} (${unit})`, "efficiency"],
        rows: runs.map((run) => [
          run.targets,
          inUnit(run[which]?.bytes_per_s ?? null, unit),
          run[which]?.efficiency ?? null,
        ]),
      })}
      filename={filename}
    />
  );
}

const inUnit = (bytesPerS: number | null, unit: RateUnit): number | null =>
  bytesPerS === null ? null : rateIn(bytesPerS, unit);

function drawn(
  { runs, cell, counted }: ScaleOutCurve,
  which: Which,
  unit: RateUnit,
  palette: ReturnType<typeof useChartPalette>,
): Figure | null {
  const measured = runs.filter((run) => run[which]?.bytes_per_s);
  if (measured.length === 0) return null;
  const counts = runs.map(({ targets }) => targets);
  const rates: Line = {
    name: "aggregate",
    label: "aggregate",
    style: 0,
    points: true,
    x: measured.map(({ targets }) => targets),
    y: measured.map((run) => inUnit(run[which]?.bytes_per_s ?? null, unit)),
  };
  const [first] = runs;
  const alone = first?.[which];
  const linear: Line[] =
    alone?.bytes_per_s && alone.doubt === null
      ? [
          {
            name: `N × one ${oneOf(counted)}`,
            label: "N × one",
            style: 1,
            x: counts,
            y: counts.map((targets) => inUnit(targets * (alone.bytes_per_s ?? 0), unit)),
          },
        ]
      : [];
  const last = counts.at(-1) ?? 1;
  const figure = stripsFigure(
    [{ title: "Aggregate rate", unit, height: 170, lines: [...linear, rates] }],
    {
      palette,
      xTitle: upperFirst(counted),
      revision: `${cell} ${which}`,
      labelRoom: 72,
      span: [0.5, last + 0.5],
    },
  );
  return withPlaces(
    figure,
    counts.map((targets) => ({ at: targets, text: String(targets) })),
  );
}
