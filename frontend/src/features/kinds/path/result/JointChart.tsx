/** All pairs of a trial as strips over one time axis. */
import { useCallback, useMemo } from "react";
import type { Axis, Line, Strip } from "@/charts/figure";
import { type RateUnit, rateIn } from "@/components/quantities";
import type { PathPair, PathTrial } from "@/features/kinds/path/path";
import { totalOf } from "@/features/samples/combined";
import { joinedFragments } from "@/features/samples/fragments";
import {
  type Change,
  type EndSamples,
  type Look,
  lineOf,
  percent,
  retransmits,
  roundTrips,
  sampleLine,
  strip,
  type TrialEnd,
} from "@/features/transfers/courses";
import { type Drawing, EndsChart } from "@/features/transfers/EndsChart";
import { pairsOf } from "./pairs";

interface JointChartProps {
  runId: number;
  trial: PathTrial;
  rampNs: number;
  /** Those of all pairs. */
  ends: readonly TrialEnd[];
  /** What tells the pairs apart. */
  labels: readonly string[];
  about: string;
  unit: RateUnit;
}

/** All pairs of a trial on one time axis. */
export function JointChart({ labels, ...props }: JointChartProps) {
  const { trial } = props;
  const pairs = useMemo(() => pairsOf(trial), [trial]);
  const strips = useCallback<Drawing>(
    (ends, unit, axis) => jointStrips(ofPairs(ends, pairs, labels), unit, axis),
    [pairs, labels],
  );
  return (
    <EndsChart
      {...props}
      title="All pairs over time"
      shows="rates of all pairs, disks, busiest cores, round-trip time and retransmits"
      strips={strips}
    />
  );
}

const ofPairs = (
  ends: readonly EndSamples[],
  pairs: readonly PathPair[],
  labels: readonly string[],
) =>
  pairs.map((pair, index) => {
    const of = (id: number) => ends.find(({ participant }) => participant === id) ?? null;
    return {
      label: labels[index] ?? pair.source,
      sender: of(pair.sender_id),
      receiver: of(pair.receiver_id),
    };
  });

/** What both ends of a pair recorded. */
export interface PairSamples {
  /** What tells it apart from the others. */
  label: string;
  /** An end that takes no part in the leg is missing. */
  sender: EndSamples | null;
  receiver: EndSamples | null;
}

const HEIGHTS = { rate: 200, part: 96, small: 80 };
const RATE = "rate_mean_bytes_per_s";

/** The style of the ink: the sum belongs to no pair. */
const INK = 7;
const COLORS = 8;

/** A pair's style: each color but the ink, then the same with other dashes. */
const styleOf = (index: number): number => (index % INK) + COLORS * Math.floor(index / INK);

/** The sum of all pairs and each of them, their disks, busiest cores and connections. */
export function jointStrips(pairs: readonly PairSamples[], unit: RateUnit, axis: Axis): Strip[] {
  const rate: Change = (bytesPerS) => rateIn(bytesPerS, unit);
  const each = (
    side: "sender" | "receiver",
    draw: (end: EndSamples, look: Look) => Line | null,
    what = "",
  ) =>
    pairs.map((pair, index) => {
      const end = pair[side];
      const name = what ? `${pair.label}, ${what}` : pair.label;
      return end && draw(end, { name, label: pair.label, style: styleOf(index) });
    });
  const rates = (side: "sender" | "receiver", what: string) =>
    each(side, (end, look) => sampleLine(end, RATE, rate, axis, look), what);
  const scored = pairs.some(({ receiver }) => receiver) ? "receiver" : "sender";
  const total = totalOf(
    pairs.flatMap((pair) => {
      const end = pair[scored];
      return end ? [joinedFragments(end.samples)] : [];
    }),
  );
  const all = { name: "all pairs", style: INK };
  const cores = strip("Busiest core", "%", HEIGHTS.part, [
    ...ofEach(pairs, "sender", hostOf, (end, look) =>
      sampleLine(end, "cpu_busiest", percent, axis, look),
    ),
    ...ofEach(pairs, "receiver", hostOf, (end, look) =>
      sampleLine(end, "cpu_busiest", percent, axis, { ...look, style: look.style + COLORS }),
    ),
  ]);
  const strips = [
    strip(scored === "receiver" ? "Received" : "Read", unit, HEIGHTS.rate, [
      pairs.length > 1 && lineOf(total, RATE, rate, axis, all),
      ...rates(scored, ""),
    ]),
    scored === "receiver" && strip("Sent", unit, HEIGHTS.part, rates("sender", "sent")),
    strip("Disks", unit, HEIGHTS.part, [
      ...ofEach(pairs, "sender", placeOf, (end, look) =>
        sampleLine(end, "dev_read_bytes_per_s", rate, axis, { ...look, name: `${look.name} read` }),
      ),
      ...ofEach(pairs, "receiver", placeOf, (end, look) =>
        sampleLine(end, "dev_write_bytes_per_s", rate, axis, {
          ...look,
          name: `${look.name} written`,
          style: look.style + COLORS,
        }),
      ),
    ]),
    cores && { ...cores, max: 100 },
    strip(
      "Round-trip time",
      "ms",
      HEIGHTS.small,
      each("sender", (end, look) => roundTrips(end, axis, look)).map((line) => line && bare(line)),
    ),
    strip(
      "Retransmits",
      "segments/s",
      HEIGHTS.small,
      each("sender", (end, look) => retransmits(end, axis, look)),
    ),
  ];
  return strips.filter((one) => one !== null && one !== false);
}

const hostOf = ({ host }: EndSamples): string => host;
const placeOf = ({ host, path }: EndSamples): string => `${host} ${path ?? ""}`.trim();

/** The bands of several lines would hide each other. */
const bare = ({ band: _, ...line }: Line): Line => line;

/** A line for each host or directory with this role: its counters are the same in all of its pairs. */
function ofEach(
  pairs: readonly PairSamples[],
  side: "sender" | "receiver",
  nameOf: (end: EndSamples) => string,
  draw: (end: EndSamples, look: Look) => Line | null,
): (Line | null)[] {
  const seen = new Set<string>();
  return pairs.map((pair, index) => {
    const end = pair[side];
    const name = end ? nameOf(end) : "";
    if (!end || seen.has(name)) return null;
    seen.add(name);
    const onHost = pairs.flatMap((one) => (one[side]?.host === end.host ? [one[side]] : []));
    const isOnly = new Set(onHost.map(nameOf)).size === 1;
    const label = isOnly ? end.host : (end.path?.split("/").findLast(Boolean) ?? end.host);
    return draw(end, { name, label, style: styleOf(index) });
  });
}
