import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { Chart } from "@/charts/Chart";
import { type Mark, type Phase, type Span, useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { formatBytes, formatDuration, type RateUnit } from "@/components/quantities";
import { stepMarks } from "@/features/kinds/results";
import {
  dataWords,
  directionName,
  doneWord,
  type Operation,
  type SustainedTrial,
  timeWords,
} from "@/features/kinds/sustained/sustained";
import { syncPhases } from "@/features/samples/series";
import { useLinkedZoom } from "@/features/samples/useLinkedZoom";
import type { DrawnLimits } from "@/features/verdicts/limits";
import type { Over } from "./shown";
import {
  axisTitle,
  bytesAt,
  type Extent,
  extentOf,
  levelBegin,
  marksTables,
  nsAt,
  trialStrips,
} from "./strips";
import { type TrialSeries, useTrialSeries, type Windows } from "./trialSeries";

/** A place in a trial that someone asked to see; each request has another number. */
export interface Focus {
  trialId: number;
  ns: number;
  /** The direction that it is in; the first one's by default. */
  operation?: Operation;
  request: number;
}

/** One direction of the shown trial: its figures, and whose samples are drawn. */
export interface ShownPart {
  operation: Operation;
  trial: SustainedTrial;
  participant: number | undefined;
}

interface TrialChartProps {
  runId: number;
  /** The writes first, if the trial has both directions. */
  parts: readonly [ShownPart] | readonly [ShownPart, ShownPart];
  /** The participant's name, where there are several. */
  whose: string | null;
  over: Over;
  /** Bytes that the host may cache; 0 if unknown. */
  memory: number;
  unit: RateUnit;
  limits: DrawnLimits;
  /** A place to zoom to. */
  focus: Focus | null;
}

/** What the whole chart takes, so that its place is kept while it loads. */
const CHART_HEIGHT = 830;
const LABEL_ROOM = 84;

/** A trial over time or data: throughput, peak operation time, backlog and host load. */
export function TrialChart(props: TrialChartProps) {
  const { runId, parts, whose, over, memory, unit, limits, focus } = props;
  const [first, second] = parts;
  const { trial } = first;
  const operation = second ? null : first.operation;
  const palette = useChartPalette();
  const client = useQueryClient();
  const revision = `${trial.id} ${first.participant ?? ""} ${over}`;
  const [zoom, setZoom] = useState<{ windows: Windows[]; revision: string } | null>(null);
  const windows = zoom?.revision === revision ? zoom.windows : [];
  const own = useTrialSeries(client, trial, first.participant, windows[0] ?? null);
  const other = useTrialSeries(
    client,
    second?.trial ?? null,
    second?.participant,
    windows[1] ?? null,
  );
  const loaded = useMemo((): LoadedPart[] | null => {
    const found = [
      { part: first, whole: own.whole.data, finer: own.finer },
      ...(second ? [{ part: second, whole: other.whole.data, finer: other.finer }] : []),
    ];
    return found.every(isLoaded) ? found : null;
  }, [first, second, own.whole.data, own.finer, other.whole.data, other.finer]);
  const extent = useMemo(() => {
    const extents = loaded?.map(({ whole }) => extentOf(whole, over, memory)) ?? [];
    return extents.find(({ end }) => end > 0 && extents.every((one) => one.end <= end)) ?? null;
  }, [loaded, over, memory]);
  const zoomTo = useCallback(
    (to: Span | null) =>
      setZoom(
        to && loaded && extent
          ? { windows: loaded.map(({ whole }) => windowsOf(whole, extent, to)), revision }
          : null,
      ),
    [loaded, extent, revision],
  );
  const linked = useLinkedZoom(zoomTo);
  const figure = useMemo(() => {
    if (!loaded || !extent) return null;
    if ((loaded[0]?.whole.samples.columns.t_ns?.length ?? 0) === 0) return null;
    const strips = loaded.map(({ part, whole, finer }, style) => {
      const name = second ? directionName(part.operation).toLowerCase() : `repeat ${trial.repeat}`;
      const options = { name, label: second ? name : "", style, operation, unit, limits };
      return { shown: finer ?? whole, whole, options };
    });
    return stripsFigure(trialStrips(strips, extent), {
      palette,
      xTitle: axisTitle(extent, operation),
      phases: once(loaded.flatMap(({ part, whole }) => phasesOf(part.trial, whole, extent))),
      marks: loaded.flatMap(({ part, whole }) =>
        eventsOf(part.trial, whole, extent, unit, second ? part.operation : null),
      ),
      revision,
      labelRoom: LABEL_ROOM,
      span: [0, extent.end / extent.axis.size],
    });
  }, [loaded, extent, second, trial.repeat, operation, unit, limits, palette, revision]);
  const target = useMemo(() => {
    const { whole } =
      loaded?.find(({ part }) => part.operation === focus?.operation) ?? loaded?.[0] ?? {};
    if (!focus || !whole || !extent || focus.trialId !== trial.id) return null;
    const place = over === "time" ? focus.ns : bytesAt(whole.marks, focus.ns);
    return { at: place / extent.axis.size, request: focus.request };
  }, [focus, loaded, extent, over, trial.id]);
  for (const { whole } of [own, other]) {
    if (whole.error) return <ProblemPanel error={whole.error} retry={() => whole.refetch()} />;
  }
  const moved = parts
    .map(({ operation: each, trial: { bytes } }) => `${formatBytes(bytes)} ${doneWord(each)}`)
    .join(" and ");
  const fetching = own.whole.isFetching || other.whole.isFetching;
  return (
    <Chart
      title={`Throughput over ${over === "time" ? "time" : dataWords(operation)}${whose ? ` of ${whose}` : ""}`}
      about={`Repeat ${trial.repeat}`}
      description={`Throughput, peak ${timeWords(operation)} and host load of a trial with ${moved} in ${formatDuration(trial.duration_ns / 1e9)}. ${limitWords(limits)}The Table button shows all values.`}
      figure={figure}
      empty={fetching ? "Loading samples…" : "The trial has no samples yet."}
      height={CHART_HEIGHT}
      events={parts.reduce((sum, part) => sum + countOfEvents(part.trial), 0)}
      table={() =>
        marksTables(
          parts,
          (loaded ?? []).map(({ whole, finer }) => (finer ?? whole).marks),
          operation,
          unit,
        )
      }
      filename={`run-${runId}-trial-${trial.id}`}
      {...linked}
      focus={target}
    />
  );
}

interface LoadedPart {
  part: ShownPart;
  whole: TrialSeries;
  finer: TrialSeries | null;
}

const isLoaded = (one: {
  part: ShownPart;
  whole: TrialSeries | undefined;
  finer: TrialSeries | null;
}): one is LoadedPart => one.whole !== undefined;

/** Both directions have the same ramp-up. */
const once = (phases: readonly Phase[]): Phase[] => [
  ...new Map(phases.map((phase) => [JSON.stringify(phase), phase])).values(),
];

/** The limits in words, for the chart's description. */
function limitWords({ throughput, operationTime }: DrawnLimits): string {
  const labels = [...throughput, ...operationTime].map(({ label }) => label);
  return labels.length > 0 ? `Limits: ${labels.join(", ")}. ` : "";
}

/** A zoomed range in nanoseconds and in bytes. */
function windowsOf({ marks }: TrialSeries, { over, axis }: Extent, [begin, end]: Span): Windows {
  const [from, to] = [begin * axis.size, end * axis.size];
  const whole = (a: number, b: number) => {
    const first = Math.max(0, Math.floor(a));
    return { from: first, to: Math.max(first + 1, Math.ceil(b)) };
  };
  if (over === "time") {
    return { time: whole(from, to), bytes: whole(bytesAt(marks, from), bytesAt(marks, to)) };
  }
  return { time: whole(nsAt(marks, from), nsAt(marks, to)), bytes: whole(from, to) };
}

/** The ramp-up, the steady window, gaps, and over time the final sync. */
function phasesOf(trial: SustainedTrial, data: TrialSeries, { over, axis }: Extent): Phase[] {
  const phases = over === "time" ? syncPhases(data.samples, axis) : [];
  const ramp = over === "time" ? trial.ramp_ns : trial.ramp_bytes;
  if (ramp > 0) phases.unshift({ name: "ramp-up", from: 0, to: ramp / axis.size });
  const { steady } = trial;
  const undisturbed = trial.gaps.every((gap) => gap.until_ns === gap.from_ns); // rounds leave gaps out
  if (steady?.reached && undisturbed) {
    const from = roundsFrom(trial, data.samples.participant_id);
    const round = (number: number) => {
      const ns = from + number * ROUND_NS;
      return (over === "time" ? ns : bytesAt(data.marks, ns)) / axis.size;
    };
    phases.push({
      name: "steady window",
      from: round(steady.first_round - 1),
      to: round(steady.rounds),
    });
  }
  for (const gap of trial.gaps) {
    if (gap.until_ns > gap.from_ns) {
      const [from, to] = [gap.from_ns, gap.until_ns].map(
        (ns) => (over === "time" ? ns : bytesAt(data.marks, ns)) / axis.size,
      );
      phases.push({ name: gap.what, from: from ?? 0, to: to ?? 0 });
    }
  }
  return phases;
}

const ROUND_NS = 60e9;

/** When the first round began, in the time of the drawn participant. */
function roundsFrom(
  { ramp_ns, window_from_ns, participants }: SustainedTrial,
  drawn: number | null | undefined,
): number {
  if (window_from_ns === null) return ramp_ns;
  const own = participants.find(({ participant_id }) => participant_id === drawn);
  return window_from_ns - (own?.start_delay_ns ?? 0);
}

/** How many events `eventsOf` returns. */
const countOfEvents = ({ levels, gaps }: SustainedTrial): number =>
  gaps.filter(({ what }) => what === "interrupted").length +
  (levels === null ? 0 : levels.held.length - 1);

/** Changes of level and interruptions, as lines through all strips. */
function eventsOf(
  { levels, gaps }: SustainedTrial,
  data: TrialSeries,
  extent: Extent,
  unit: RateUnit,
  direction: Operation | null,
): Mark[] {
  const { over, axis } = extent;
  const whose = direction ? `${directionName(direction)}: ` : "";
  const events: Mark[] = gaps
    .filter(({ what }) => what === "interrupted")
    .map(({ from_ns, away_ns }) => ({
      at: (over === "time" ? from_ns : bytesAt(data.marks, from_ns)) / axis.size,
      label: "interrupted",
      sentence: `${whose}Interrupted${away_ns == null ? "" : ` for ${formatDuration(away_ns / 1e9)}`}`,
    }));
  const name = direction ? directionName(direction) : "";
  return [...events, ...stepMarks(levels?.held ?? [], levelBegin(extent), unit, name)];
}
