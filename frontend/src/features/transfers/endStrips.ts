/** Both ends of a trial as strips over one time axis. */
import type { Links, Samples } from "@/api/shapes";
import type { Line, Strip } from "@/charts/strips";
import type { Axis } from "@/charts/timeAxis";
import { type RateUnit, rateIn } from "@/components/quantities";
import { joinedFragments } from "@/features/samples/fragments";
import { stackedCpuStrip } from "@/features/samples/hostStrips";
import { type Course, columnOf, mapped, stepped } from "@/features/samples/series";

/** One end of a transfer, with what it recorded of a trial. */
export interface EndSamples {
  role: "sender" | "receiver";
  host: string;
  samples: Samples;
  links: Links;
}

const HEIGHTS = { network: 180, disk: 96, cpu: 80, small: 72 };
const MILLISECOND = 1e6;
const SECOND = 1e9;

/** Styles of the ends; one with `CARD` more has the same color and another dash. */
const STYLE = { sender: 0, receiver: 1 };
const CARD = 8;

type Change = (value: number) => number;
const percent: Change = (share) => share * 100;

/** Network rates, disks, CPUs, TCP and waits; what no end has recorded is left out. */
export function pathStrips(ends: readonly EndSamples[], unit: RateUnit, axis: Axis): Strip[] {
  const rate: Change = (bytesPerS) => rateIn(bytesPerS, unit);
  const sender = ends.find(({ role }) => role === "sender");
  const receiver = ends.find(({ role }) => role === "receiver");
  const ofSamples = (end: EndSamples | undefined, column: string, name: string) =>
    end && lineOf(joinedFragments(end.samples), column, rate, axis, name, STYLE[end.role]);
  const ofLinks = (end: EndSamples | undefined, column: string, change: Change, name: string) =>
    end && lineOf(courseOf(end), column, change, axis, name, STYLE[end.role]);
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
    strip("Round-trip time", "ms", HEIGHTS.small, [sender && roundTrips(sender, axis)]),
    strip("Retransmits", "segments/s", HEIGHTS.small, [sender && retransmits(sender, axis)]),
    {
      ...strip("Streams waiting", "% of time", HEIGHTS.small, [
        ofLinks(sender, "ring_empty", percent, "for the source"),
        ofLinks(receiver, "ring_full", percent, "for the sink"),
      ]),
      max: 100,
    },
  ];
  return strips.filter(isStrip);
}

const isStrip = (one: Partial<Strip> | null): one is Strip => one?.lines !== undefined;

/** Whether an end has sent or received: the network has no part in reading or writing alone. */
const isNetwork = (end: EndSamples | undefined): boolean =>
  end !== undefined && columnOf(end.links, "rtt_mean_ns").some((value) => value !== null);

type Missing = false | null | undefined;

function strip(
  title: string,
  unit: string,
  height: number,
  lines: readonly (Line | Missing)[],
): Strip | null {
  const known = lines.filter((line): line is Line => Boolean(line));
  return known.length > 0 ? { title, unit, height, lines: known } : null;
}

/** An interval that is a smaller share of the sampling interval than this is no rate. */
const FRAGMENT = 1 / 5;

/** The links without the fragments that the end of the data cuts off. */
function courseOf({ samples, links: { columns } }: EndSamples): Course {
  const whole = [...(columns.dt_ns ?? []).entries()]
    .filter(([index, length]) => index === 0 || (length ?? 0) >= samples.sample_ns * FRAGMENT)
    .map(([index]) => index);
  return {
    count: whole.length,
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [
        name,
        whole.map((index) => values[index] ?? null),
      ]),
    ),
  };
}

/** A column over time; null where it was not recorded. */
function lineOf(
  course: Course,
  column: string,
  change: Change,
  axis: Axis,
  name: string,
  style: number,
): Line | null {
  const values = columnOf(course, column);
  if (values.every((value) => value === null)) return null;
  return { ...stepped(course, axis, mapped(values, change)), name, label: name, style };
}

/** What the card carried, headers and other traffic included; its label would hide the payload's. */
const cardLine = (line: Line | Missing): Line | Missing =>
  line && { ...line, label: "", style: line.style + CARD };

/** The mean of all streams, with the least and the greatest as a band. */
function roundTrips(end: EndSamples, axis: Axis): Line | null {
  const course = courseOf(end);
  const ms: Change = (ns) => ns / MILLISECOND;
  const of = (column: string) => lineOf(course, column, ms, axis, "round trip", STYLE.sender);
  const [mean, low, high] = [of("rtt_mean_ns"), of("rtt_min_ns"), of("rtt_max_ns")];
  if (!mean || !low || !high) return null;
  return mean.points
    ? { ...mean, label: "" }
    : { ...mean, label: "", band: { low: low.y, high: high.y } };
}

/** Segments that all streams sent again, per second of each interval. */
function retransmits(end: EndSamples, axis: Axis): Line | null {
  const course = courseOf(end);
  const lengths = columnOf(course, "dt_ns");
  const perS = columnOf(course, "retransmits").map((count, index) =>
    count === null || !lengths[index] ? null : (count / lengths[index]) * SECOND,
  );
  if (perS.every((value) => value === null)) return null;
  return { ...stepped(course, axis, perS), name: "sent again", style: STYLE.sender };
}
