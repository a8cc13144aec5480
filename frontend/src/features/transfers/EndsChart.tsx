import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { TrialWindow } from "@/api/queries";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/palette";
import { type Phase, type Span, stripsFigure } from "@/charts/strips";
import { type TimeAxis, timeAxis } from "@/charts/timeAxis";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import type { RateUnit } from "@/components/quantities";
import type { PathTrial } from "@/features/kinds/path/shapes";
import { implausibleWords } from "@/features/samples/hostStrips";
import { syncPhases } from "@/features/samples/series";
import { type TrialEnd, useEndSamples } from "./endSamples";
import { endsTable } from "./endsTable";
import { type EndSamples, pathStrips } from "./strips";

interface TrialChartProps {
  runId: number;
  trial: PathTrial;
  /** What is excluded from the rates. */
  rampNs: number;
  ends: readonly TrialEnd[];
  /** The leg and its parameters, in a few words. */
  about: string;
  unit: RateUnit;
}

const CHART_HEIGHT = 720;
const LABEL_ROOM = 84;

/** Both ends of a trial on one time axis: network, disks, CPUs and TCP. */
export function TrialChart({ runId, trial, rampNs, ends, about, unit }: TrialChartProps) {
  const palette = useChartPalette();
  const client = useQueryClient();
  const revision = String(trial.id);
  const [zoom, setZoom] = useState<{ window: TrialWindow; revision: string } | null>(null);
  const window = zoom?.revision === revision ? zoom.window : null;
  const { whole, finer } = useEndSamples(client, trial, ends, window);
  const axis = useMemo(() => axisOf(whole.data), [whole.data]);
  const zoomTo = useCallback(
    (to: Span | null) => setZoom(to && axis ? { window: windowOf(to, axis), revision } : null),
    [axis, revision],
  );
  const figure = useMemo(() => {
    if (!whole.data || !axis) return null;
    return stripsFigure(pathStrips(finer ?? whole.data, unit, axis), {
      palette,
      xTitle: `Time since start of trial (${axis.unit})`,
      phases: phasesOf(whole.data, rampNs, axis),
      revision,
      labelRoom: LABEL_ROOM,
      span: [0, endOf(whole.data) / axis.size],
    });
  }, [whole.data, finer, axis, unit, palette, revision, rampNs]);
  if (whole.error) return <ProblemPanel error={whole.error} retry={() => whole.refetch()} />;
  const doubts = (whole.data ?? []).flatMap(({ host, samples }) => {
    const words = implausibleWords(samples);
    return words ? [`${host}: ${words}`] : [];
  });
  return (
    <Chart
      title="Both ends over time"
      about={about}
      description={`${about}: network rate of both ends, disks, CPUs, round-trip time, retransmits and waits. The Table button shows all values.`}
      figure={figure}
      empty={whole.isFetching ? "Loading samples…" : "The trial has no samples yet."}
      height={CHART_HEIGHT}
      table={() => endsTable(finer ?? whole.data ?? [], unit)}
      filename={`run-${runId}-trial-${trial.id}`}
      onZoom={zoomTo}
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

/** The ramp-up, and the final sync at the sink. */
function phasesOf(ends: readonly EndSamples[], rampNs: number, axis: TimeAxis): Phase[] {
  const receiver = ends.find(({ role }) => role === "receiver");
  return [
    ...(rampNs > 0 ? [{ name: "ramp-up", from: 0, to: rampNs / axis.size }] : []),
    ...(receiver ? syncPhases(receiver.samples, axis) : []),
  ];
}
