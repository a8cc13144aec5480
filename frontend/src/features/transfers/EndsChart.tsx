/** Both ends of a trial as strips over one time axis. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { TrialWindow } from "@/api/trialQueries";
import { Chart } from "@/charts/Chart";
import type { DataTable, Value } from "@/charts/dataTable";
import {
  type Axis,
  type Line,
  type Mark,
  type Phase,
  type Span,
  type Strip,
  type TimeAxis,
  timeAxis,
  useChartPalette,
} from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { type RateUnit, rateIn } from "@/components/quantities";
import { implausibleWords, stackedCpuStrip } from "@/features/samples/hostStrips";
import { columnOf, syncPhases } from "@/features/samples/series";
import { useLinkedZoom } from "@/features/samples/useLinkedZoom";
import {
  type Change,
  type EndSamples,
  isNetwork,
  linkLine,
  type Missing,
  percent,
  retransmits,
  roundTrips,
  sampleLine,
  strip,
  type TrialEnd,
} from "./courses";
import { type SampledTrial, useEndSamples } from "./endSamples";

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

const HEIGHTS = { network: 180, disk: 96, cpu: 80, small: 72 };

/** Styles of the ends; one with `CARD` more has the same color and another dash. */
const STYLE = { sender: 0, receiver: 1 };
const CARD = 8;

/** Network rates, disks, CPUs, TCP and waits; what no end has recorded is left out. */
export function endStrips(ends: readonly EndSamples[], unit: RateUnit, axis: Axis): Strip[] {
  const rate: Change = (bytesPerS) => rateIn(bytesPerS, unit);
  const sender = ends.find(({ role }) => role === "sender");
  const receiver = ends.find(({ role }) => role === "receiver");
  const ofSamples = (end: EndSamples | undefined, column: string, name: string) =>
    end && sampleLine(end, column, rate, axis, { name, style: STYLE[end.role] });
  const ofLinks = (end: EndSamples | undefined, column: string, change: Change, name: string) =>
    end && linkLine(end, column, change, axis, { name, style: STYLE[end.role] });
  const waiting = strip("Streams waiting", "% of time", HEIGHTS.small, [
    ofLinks(sender, "ring_empty", percent, "for the source"),
    ofLinks(receiver, "ring_full", percent, "for the sink"),
  ]);
  const alone = { style: STYLE.sender, label: "" };
  const strips = [
    strip("Network rate", unit, HEIGHTS.network, [
      isNetwork(sender) && ofSamples(sender, "rate_mean_bytes_per_s", "sent"),
      isNetwork(receiver) && ofSamples(receiver, "rate_mean_bytes_per_s", "received"),
      cardLine(ofLinks(sender, "card_tx_bytes_per_s", rate, "sender's card")),
      cardLine(ofLinks(receiver, "card_rx_bytes_per_s", rate, "receiver's card")),
    ]),
    strip("Disks", unit, HEIGHTS.disk, [
      ofSamples(sender, "dev_read_bytes_per_s", "source read"),
      ofSamples(receiver, "dev_write_bytes_per_s", "sink written"),
    ]),
    ...ends.map((end) => {
      const cpu = stackedCpuStrip(end.samples, HEIGHTS.cpu, axis);
      return cpu && { ...cpu, title: `CPU of the ${end.role}` };
    }),
    strip("Round-trip time", "ms", HEIGHTS.small, [
      sender && roundTrips(sender, axis, { ...alone, name: "round trip" }),
    ]),
    strip("Retransmits", "segments/s", HEIGHTS.small, [
      sender && retransmits(sender, axis, { ...alone, name: "retransmitted" }),
    ]),
    waiting && { ...waiting, max: 100 },
  ];
  return strips.filter((one) => one !== null);
}

/** What the card carried, headers and other traffic included; its label would hide the payload's. */
const cardLine = (line: Line | Missing): Line | Missing =>
  line && { ...line, label: "", style: line.style + CARD };

type Column = [title: string, name: string, change: (value: number) => number];

/**
 * The samples of both ends one below the other, in the units of the picture, each with the streams'
 * figures of the interval that ends at the same time.
 */
export function endsTable(ends: readonly EndSamples[], unit: RateUnit): DataTable {
  const rate = (bytesPerS: number) => rateIn(bytesPerS, unit);
  const percent = (share: number) => share * 100;
  const ms = (ns: number) => ns / 1e6;
  const same = (value: number) => value;
  const ofSamples: Column[] = [
    ["time (s)", "t_ns", (ns) => ns / 1e9],
    [`throughput mean (${unit})`, "rate_mean_bytes_per_s", rate],
    [`device read (${unit})`, "dev_read_bytes_per_s", rate],
    [`device written (${unit})`, "dev_write_bytes_per_s", rate],
    ["CPU user (%)", "cpu_user", percent],
    ["CPU system (%)", "cpu_system", percent],
    ["CPU soft interrupts (%)", "cpu_softirq", percent],
    ["CPU I/O wait (%)", "cpu_iowait", percent],
    ["CPU steal (%)", "cpu_steal", percent],
    ["CPU busiest core (%)", "cpu_busiest", percent],
  ];
  const ofLinks: Column[] = [
    [`card sent (${unit})`, "card_tx_bytes_per_s", rate],
    [`card received (${unit})`, "card_rx_bytes_per_s", rate],
    ["round trip minimum (ms)", "rtt_min_ns", ms],
    ["round trip mean (ms)", "rtt_mean_ns", ms],
    ["round trip maximum (ms)", "rtt_max_ns", ms],
    ["retransmitted segments", "retransmits", same],
    ["congestion windows (kB)", "cwnd_bytes", (bytes) => bytes / 1e3],
    ["limited by the receive window (%)", "receive_window_limited", percent],
    ["limited by the send buffer (%)", "send_buffer_limited", percent],
    ["waited on a full ring (%)", "ring_full", percent],
    ["waited on an empty ring (%)", "ring_empty", percent],
    ["packets dropped by the card", "card_dropped", same],
    ["packets dropped by the host", "softnet_dropped", same],
  ];
  return {
    columns: [
      "end",
      "host",
      ...ofSamples.map(([title]) => title),
      ...ofLinks.map(([title]) => title),
    ],
    rows: ends.flatMap(({ role, host, samples, links }) => {
      const linkAt = new Map(columnOf(links, "t_ns").map((end, index) => [end, index]));
      return columnOf(samples, "t_ns").map((end, index) => [
        role,
        host,
        ...ofSamples.map((column) => cellOf(column, samples, index)),
        ...ofLinks.map((column) => cellOf(column, links, linkAt.get(end))),
      ]);
    }),
  };
}

function cellOf(
  [, name, change]: Column,
  of: Parameters<typeof columnOf>[0],
  index: number | undefined,
): Value {
  const value = index === undefined ? null : (columnOf(of, name)[index] ?? null);
  return value === null ? null : Number(change(value).toPrecision(6));
}
