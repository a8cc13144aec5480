import { upperFirst } from "@mantine/hooks";
import { useMemo } from "react";
import type { ScaledRate, ScaledRun, ScaledTarget, ScaleOutCurve } from "@/api/shapes";
import { Chart } from "@/charts/Chart";
import { type Figure, type Line, useChartPalette, withPlaces } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { formatRate, type RateUnit, rateIn } from "@/components/quantities";

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

const DOUBTS: Record<NonNullable<ScaledRate["doubt"]>, string> = {
  not_measured: "not measured",
  unreliable: "unreliable trials",
  cliff: "rate with a cliff",
  page_cache: "page cache",
  bounded: "upper bound",
  paced: "paced",
  other_rules: "judged by other rules",
};

type Counted = ScaleOutCurve["counted"];

/** One of what a curve counts: "target", "pair". */
export const oneOf = (counted: Counted): string => (counted === "pairs" ? "pair" : "target");

/** "1.20 GB/s" */
export const rateText = (rate: ScaledRate | null, unit: RateUnit): string =>
  rate === null || rate.bytes_per_s === null ? "–" : formatRate(rate.bytes_per_s, unit);

/** "87 %", or why the rate does not compare; `alone` is the rate of one target or pair. */
export function efficiencyText(
  rate: ScaledRate | null,
  alone: ScaledRate | null,
  counted: Counted,
): string {
  if (rate === null) return "–";
  if (rate.efficiency !== null) return `${Math.round(rate.efficiency * 100)}\u00a0%`;
  if (rate.doubt !== null) return `– (${DOUBTS[rate.doubt]})`;
  return alone?.doubt ? `– (one ${oneOf(counted)}: ${DOUBTS[alone.doubt]})` : "–";
}

/** "52 % · 48 %" */
export const sharesText = ({ parts }: Pick<ScaledRun, "parts">): string =>
  parts.every(({ share }) => share === null)
    ? "–"
    : parts
        .map(({ share }) => (share === null ? "–" : `${Math.round(share * 100)}\u00a0%`))
        .join(" · ");

/** "web-2 /mnt/b" */
export const targetText = ({ host, path }: Pick<ScaledTarget, "host" | "path">): string =>
  `${host} ${path ?? ""}`.trim();

/** From this index on, which is shown as 1.000, no target is slower to speak of. */
const EVEN = 0.9995;

/** The slowest target and its rate: "web-2 /mnt/b, 310 MB/s"; "–" of one target, or if all are alike. */
export function slowestText(run: ScaledRun, unit: RateUnit): string {
  if ((run.fairness ?? 0) >= EVEN) return "–";
  const slowest = run.parts.find(
    ({ participant_id }) => participant_id === run.slowest_participant_id,
  );
  if (!slowest) return "–";
  const rate = slowest.bytes_per_s === null ? "" : `, ${formatRate(slowest.bytes_per_s, unit)}`;
  return `${targetText(slowest)}${rate}`;
}
