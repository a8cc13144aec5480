import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { TrialWindow } from "@/api/trialQueries";
import { Chart } from "@/charts/Chart";
import type { DataTable } from "@/charts/dataTable";
import type { Mark, Phase, Span, Strip } from "@/charts/figure";
import { useChartPalette } from "@/charts/palette";
import { stripsFigure } from "@/charts/strips";
import { type TimeAxis, timeAxis } from "@/charts/timeAxis";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import type { RateUnit } from "@/components/quantities";
import { implausibleWords } from "@/features/samples/hostStrips";
import { syncPhases } from "@/features/samples/series";
import { useLinkedZoom } from "@/features/samples/useLinkedZoom";
import type { EndSamples, TrialEnd } from "./courses";
import { type SampledTrial, useEndSamples } from "./endSamples";
import { endStrips } from "./endStrips";
import { endsTable } from "./endsTable";

interface EndsChartProps {
  runId: number;
  trial: SampledTrial;
  /** What is excluded from the rates. */
  rampNs: number;
  ends: readonly TrialEnd[];
  /** Whether they have streams of Assay's own; so by default. */
  links?: boolean;
  /** What was measured, in a few words. */
  about: string;
  unit: RateUnit;
  title?: string;
  /** What the strips show, for the picture's description. */
  shows?: string;
  strips?: Drawing;
  /** Phases besides the ramp-up and the final sync, and events; in nanoseconds. */
  phases?: readonly Phase[];
  marks?: readonly Mark[];
  table?: (ends: readonly EndSamples[], unit: RateUnit) => DataTable;
}

/** What is drawn of the ends. */
export type Drawing = (ends: readonly EndSamples[], unit: RateUnit, axis: TimeAxis) => Strip[];

const BOTH_ENDS = "network rate of both ends, disks, CPUs, round-trip time, retransmits and waits";
const NONE: readonly never[] = [];

const CHART_HEIGHT = 720;
const LABEL_ROOM = 84;

/** The ends of a trial on one time axis: network, disks, CPUs and TCP. */
export function EndsChart(props: EndsChartProps) {
  const { runId, trial, rampNs, ends, about, unit, title = "Both ends over time" } = props;
  const { shows = BOTH_ENDS, strips = endStrips, table = endsTable } = props;
  const { phases = NONE, marks = NONE, links = true } = props;
  const palette = useChartPalette();
  const client = useQueryClient();
  const revision = String(trial.id);
  const [zoom, setZoom] = useState<{ window: TrialWindow; revision: string } | null>(null);
  const window = zoom?.revision === revision ? zoom.window : null;
  const { whole, finer } = useEndSamples(client, trial, ends, { window, links });
  const axis = useMemo(() => axisOf(whole.data), [whole.data]);
  const zoomTo = useCallback(
    (to: Span | null) => setZoom(to && axis ? { window: windowOf(to, axis), revision } : null),
    [axis, revision],
  );
  const linked = useLinkedZoom(zoomTo);
  const figure = useMemo(() => {
    if (!whole.data || !axis) return null;
    return stripsFigure(strips(finer ?? whole.data, unit, axis), {
      palette,
      xTitle: `Time since start of trial (${axis.unit})`,
      phases: [
        ...phasesOf(whole.data, rampNs, axis),
        ...phases.map(({ name, from, to }) => ({
          name,
          from: from / axis.size,
          to: to / axis.size,
        })),
      ],
      marks: marks.map((mark) => ({ ...mark, at: mark.at / axis.size })),
      revision,
      labelRoom: LABEL_ROOM,
      span: [0, endOf(whole.data) / axis.size],
    });
  }, [whole.data, finer, axis, unit, palette, revision, rampNs, strips, phases, marks]);
  if (whole.error) return <ProblemPanel error={whole.error} retry={() => whole.refetch()} />;
  const doubts = (whole.data ?? []).flatMap(({ host, samples }) => {
    const words = implausibleWords(samples);
    return words ? [`${host}: ${words}`] : [];
  });
  return (
    <Chart
      title={title}
      about={about}
      description={`${about}: ${shows}. The Table button shows all values.`}
      figure={figure}
      empty={whole.isFetching ? "Loading samples…" : "The trial has no samples yet."}
      height={CHART_HEIGHT}
      table={() => table(finer ?? whole.data ?? [], unit)}
      filename={`run-${runId}-trial-${trial.id}`}
      {...linked}
    >
      {doubts.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </Chart>
  );
}

const endOf = (ends: readonly EndSamples[]): number =>
  Math.max(0, ...ends.map(({ samples }) => samples.columns.t_ns?.at(-1) ?? 0));

/** Null where no end has a sample yet. */
function axisOf(ends: readonly EndSamples[] | undefined): TimeAxis | null {
  const end = endOf(ends ?? []);
  return end > 0 ? timeAxis(end) : null;
}

function windowOf([begin, end]: Span, { size }: TimeAxis): TrialWindow {
  const from = Math.max(0, Math.floor(begin * size));
  return { from, to: Math.max(from + 1, Math.ceil(end * size)) };
}

/** The final syncs of several receivers as one: from the first begin to the last end. */
function together(syncs: readonly Phase[]): Phase[] {
  const [first] = syncs;
  if (!first) return [];
  const from = Math.min(...syncs.map((sync) => sync.from));
  return [{ name: first.name, from, to: Math.max(...syncs.map((sync) => sync.to)) }];
}

/** The ramp-up, and the final sync at the sink. */
function phasesOf(ends: readonly EndSamples[], rampNs: number, axis: TimeAxis): Phase[] {
  const syncs = ends
    .filter(({ role }) => role === "receiver")
    .flatMap(({ samples }) => syncPhases(samples, axis));
  return [
    ...(rampNs > 0 ? [{ name: "ramp-up", from: 0, to: rampNs / axis.size }] : []),
    ...together(syncs),
  ];
}
