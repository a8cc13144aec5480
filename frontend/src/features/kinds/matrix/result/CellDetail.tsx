import { useCallback, useMemo, useState } from "react";
import type { TrialWindow } from "@/api/trialQueries";
import { Chart } from "@/charts/Chart";
import { type Span, type Strip, type TimeAxis, timeAxis, useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import { formatLatency } from "@/components/quantities";
import {
  cellName,
  type Matrix,
  type MatrixCell,
  type Reading,
} from "@/features/kinds/matrix/matrix";
import { findings, placeWords } from "@/features/kinds/matrix/matrixGrid";
import { cliffMarks, flagsOf } from "@/features/kinds/matrix/signs";
import { begunOf } from "@/features/kinds/results";
import { gathered } from "@/features/samples/combined";
import {
  cpuStrip,
  deviceStrip,
  implausibleWords,
  rangeWords,
  seriesTable,
} from "@/features/samples/hostStrips";
import { participantLabels } from "@/features/samples/participantLabels";
import {
  beginOf,
  columnOf,
  latencyStrip,
  longestOf,
  mapped,
  peakOf,
  type Series,
  syncPhases,
  throughputStrip,
} from "@/features/samples/series";
import { useLinkedZoom } from "@/features/samples/useLinkedZoom";
import classes from "./CellDetail.module.css";
import { type RepeatSamples, useCellSamples, useFinerSamples } from "./cellSamples";
import { Participants } from "./Participants";
import { FlagList, Repeats } from "./Repeats";

interface CellDetailProps {
  matrix: Matrix;
  cell: MatrixCell;
  reading: Reading;
  /** The repeat that is looked at; null until one is selected. */
  focused: number | null;
  onFocus: (repeat: number) => void;
}

const HEIGHTS = { throughput: 180, latency: 88, cpu: 88, device: 72 };
/** What the whole chart takes, so that its place is kept while samples load. */
const CHART_HEIGHT = 618;
const LABEL_ROOM = 84;
/** Keeps a line's place while the samples load. */
const KEPT = "\u00a0";

/** The detail of a cell: its repeats with their spread, and their time series. */
export function CellDetail({ matrix, cell, reading, focused, onFocus }: CellDetailProps) {
  const [participant, setParticipant] = useState<number | null>(null);
  const together = matrix.participants.length > 1;
  const samples = useCellSamples(cell, focused);
  const palette = useChartPalette();
  const names = useMemo(
    () => (together ? participantNames(matrix.participants) : null),
    [together, matrix.participants],
  );
  const whole = useMemo(() => seriesOf(samples.data ?? [], names), [samples.data, names]);
  const revision = `${matrix.run_id} ${whole.map(({ samples: { trial_id } }) => trial_id)}`;
  const [zoom, setZoom] = useState<{ window: TrialWindow; revision: string } | null>(null);
  const axis = timeAxis(longestOf(whole));
  const zoomTo = useCallback(
    (to: Span | null) =>
      setZoom(
        to && {
          window: { from: nanoseconds(to[0], axis), to: nanoseconds(to[1], axis) },
          revision,
        },
      ),
    [axis, revision],
  );
  const linked = useLinkedZoom(zoomTo);
  // A zoom is of one cell: another one is shown whole.
  const window = zoom?.revision === revision ? zoom.window : null;
  const finer = useFinerSamples(cell, window, samples.data, focused);
  const series = useMemo(() => (finer ? seriesOf(finer, names) : whole), [finer, names, whole]);
  const chosen =
    series.find((one) =>
      together ? one.samples.participant_id === participant : one.repeat === focused,
    ) ??
    series[0] ??
    null;
  const flags = cell.trials.find(({ repeat }) => repeat === chosen?.repeat)?.flags;
  const figure = useMemo(() => {
    if (!chosen) return null;
    const longest = longestOf(whole);
    const strips: (Strip | null)[] = [
      gathered(
        throughputStrip(series, reading.unit, HEIGHTS.throughput, timeAxis(longest)),
        chosen.name,
      ),
      gathered(latencyStrip(series, HEIGHTS.latency, timeAxis(longest)), chosen.name),
      cpuStrip(chosen.samples, longest, HEIGHTS.cpu),
      deviceStrip(chosen.samples, longest, reading.unit, HEIGHTS.device),
    ];
    return stripsFigure(
      strips.filter((strip) => strip !== null),
      {
        palette,
        xTitle: `Time since start of trial (${timeAxis(longest).unit})`,
        phases: syncPhases(chosen.samples, timeAxis(longest)),
        marks: cliffMarks(flags ?? [], timeAxis(longest), reading.unit),
        revision,
        labelRoom: LABEL_ROOM,
        span: [beginOf(whole) / timeAxis(longest).size, longest / timeAxis(longest).size],
      },
    );
  }, [series, whole, chosen, flags, reading.unit, palette, revision]);
  const where = placeWords(cell);
  const doubt = chosen ? implausibleWords(chosen.samples) : null;
  const repeats = samples.data ? series.length : begunOf(cell).length;

  return (
    <Section title={where}>
      <p className={classes.sentence}>{findings(cell, reading)}</p>
      <FlagList flags={flagsOf(cell, reading.rate)} />
      <Participants
        matrix={matrix}
        cell={cell}
        reading={reading}
        focused={chosen?.samples.participant_id ?? null}
        onFocus={setParticipant}
      />
      <Repeats
        cell={cell}
        rates={matrix.rates}
        reading={reading}
        focused={chosen?.repeat ?? null}
        onFocus={onFocus}
      />
      <Percentiles latency={cell.latency} />
      {samples.error ? (
        <ProblemPanel error={samples.error} retry={() => samples.refetch()} />
      ) : (
        <div className={classes.chart} data-stale={samples.isPlaceholderData || undefined}>
          <Chart
            title="Throughput, latency and host load"
            about={where}
            description={describe(series, reading)}
            figure={figure}
            empty={whyEmpty(cell, samples.isFetching)}
            height={CHART_HEIGHT}
            table={() => seriesTable(series, reading.unit)}
            filename={`run-${matrix.run_id}-${cellName(cell)}`}
            {...linked}
          >
            {doubt ? <p className={classes.hint}>{doubt}</p> : null}
            {repeats > 1 ? (
              <p className={classes.hint}>
                {chosen
                  ? `CPU and device load of ${chosen.name}. Select another ${together ? "participant or repeat" : "repeat"} above.`
                  : KEPT}
              </p>
            ) : null}
          </Chart>
        </div>
      )}
    </Section>
  );
}

/** A time on the axis in whole nanoseconds; none lies before the trial. */
const nanoseconds = (time: number, axis: TimeAxis): number =>
  Math.max(0, Math.round(time * axis.size));

type RepeatSeries = Series & { repeat: number };

type ParticipantName = { name: string; label: string };

/** Hosts, where these tell the participants apart; else host and directory. */
function participantNames(participants: Matrix["participants"]): ParticipantName[] {
  const hosts = participants.map(({ host }) => host);
  const areDistinct = new Set(hosts).size === hosts.length;
  const labels = participantLabels(participants);
  return participants.map(({ host, path }, index) => ({
    name: areDistinct ? host : `${host} ${path ?? ""}`,
    label: labels[index] ?? host,
  }));
}

/** A line for each repeat; `names`: for each participant of one repeat. */
function seriesOf(
  data: readonly RepeatSamples[],
  names: readonly ParticipantName[] | null,
): RepeatSeries[] {
  return data
    .filter(({ samples }) => columnOf(samples, "t_ns").length > 0)
    .map(({ repeat, place, samples }) => {
      const { name, label } = names?.[place] ?? {
        name: `repeat ${repeat}`,
        label: `repeat ${repeat}`,
      };
      return { repeat, samples, name, label, style: names ? place : repeat - 1 };
    });
}

function describe(series: readonly Series[], { unit }: Reading): string {
  const parts = series.map(({ name, samples }) => {
    const rate = throughputStrip([{ name, label: "", style: 0, samples }], unit, 1).lines[0];
    const peak = mapped(peakOf(samples), (ns) => ns / 1e6);
    return `${name}: throughput ${rangeWords(rate?.y ?? [])} ${unit}, peak latency ${rangeWords(peak)} ms`;
  });
  return `Strips over time. ${parts.join("; ")}. The Table button shows all values.`;
}

function whyEmpty(cell: MatrixCell, loading: boolean): string {
  if (loading) return "Loading samples…";
  if (cell.state === "empty") return "This cell has not been measured.";
  if (cell.state === "inconclusive")
    return "Inconclusive: every attempt was suspended or starved of CPU.";
  if (cell.state === "failed") return "Every trial of this cell failed before its first sample.";
  return "The first trial of this cell is not complete.";
}

const NAMES = [
  ["mean_ns", "mean"],
  ["p50_ns", "p50"],
  ["p90_ns", "p90"],
  ["p99_ns", "p99"],
  ["p999_ns", "p99.9"],
  ["max_ns", "maximum"],
  ["stall_ns", "longest stall"],
] as const;

/** Latency of single operations, merged over all repeats by histogram, never by averaging percentiles. */
function Percentiles({ latency }: { latency: MatrixCell["latency"] }) {
  if (!latency) return null;
  const shown = (ns: number | null) => (ns === null ? "none" : formatLatency(ns));
  return (
    <div className={classes.percentiles}>
      <h3>Operation latency</h3>
      <dl className={classes.list}>
        {NAMES.map(([key, name]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd>{shown(latency[key])}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
