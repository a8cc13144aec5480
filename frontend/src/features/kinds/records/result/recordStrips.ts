/** The senders and the receiver of a records trial as strips over one time axis. */
import type { Axis, Line, Strip } from "@/charts/figure";
import { type RateUnit, rateIn } from "@/components/quantities";
import { memoryStrip, stackedCpuStrip } from "@/features/samples/hostStrips";
import { participantLabels } from "@/features/samples/participantLabels";
import { columnOf } from "@/features/samples/series";
import {
  type Change,
  type EndSamples,
  type Look,
  linkLine,
  percent,
  retransmits,
  roundTrips,
  sampleLine,
  strip,
} from "@/features/transfers/courses";

const HEIGHTS = { records: 180, bytes: 120, part: 96, cpu: 80, small: 72 };
const RECORDS = "ops_per_s";
const BYTES = "rate_mean_bytes_per_s";

/** The style of the ink: what arrives belongs to no sender. */
const INK = 7;
const COLORS = 8;

/** A sender's style: each color but the ink, then the same with other dashes. */
const styleOf = (index: number): number => (index % INK) + COLORS * Math.floor(index / INK);

const UNITS: readonly { name: string; size: number }[] = [
  { name: "million records/s", size: 1e6 },
  { name: "thousand records/s", size: 1e3 },
  { name: "records/s", size: 1 },
];

/** Records and bytes of each sender and at the receiver, its disk, memory and CPU, and the network. */
export function recordStrips(ends: readonly EndSamples[], unit: RateUnit, axis: Axis): Strip[] {
  const senders = ends.filter(({ role }) => role === "sender");
  const receiver = ends.find(({ role }) => role === "receiver");
  const labels = participantLabels(senders);
  const rate: Change = (bytesPerS) => rateIn(bytesPerS, unit);
  const scale = scaleOf(ends);
  const perSecond: Change = (value) => value / scale.size;
  const arrived: Look = { name: "received", style: INK };
  const each = (draw: (end: EndSamples, look: Look) => Line | null, what = "sent") =>
    senders.map((end, index) => {
      const label = labels[index] ?? end.host;
      return draw(end, { name: `${label} ${what}`, label, style: styleOf(index) });
    });
  const cpu = receiver && stackedCpuStrip(receiver.samples, HEIGHTS.cpu, axis);
  const cores = strip("Busiest core of the senders", "%", HEIGHTS.small, [
    ...each((end, look) => sampleLine(end, "cpu_busiest", percent, axis, look), "busiest core"),
  ]);
  const waiting = strip("Receiver waiting", "% of time", HEIGHTS.small, [
    receiver &&
      linkLine(receiver, "ring_full", percent, axis, { name: "for the sink", style: INK }),
    receiver &&
      linkLine(receiver, "ring_empty", percent, axis, { name: "for records", style: INK + COLORS }),
  ]);
  const strips = [
    strip("Records", scale.name, HEIGHTS.records, [
      receiver && sampleLine(receiver, RECORDS, perSecond, axis, arrived),
      ...each((end, look) => sampleLine(end, RECORDS, perSecond, axis, look)),
    ]),
    strip("Payload", unit, HEIGHTS.bytes, [
      receiver && sampleLine(receiver, BYTES, rate, axis, arrived),
      ...each((end, look) => sampleLine(end, BYTES, rate, axis, look)),
    ]),
    strip("Sink's disk", unit, HEIGHTS.part, [
      receiver &&
        sampleLine(receiver, "dev_write_bytes_per_s", rate, axis, { name: "written", style: INK }),
    ]),
    (receiver && memoryStrip(receiver.samples, 0, HEIGHTS.part, axis)) ?? null,
    cpu ? { ...cpu, title: "CPU of the receiver" } : null,
    cores && { ...cores, max: 100 },
    strip(
      "Round-trip time",
      "ms",
      HEIGHTS.small,
      each((end, look) => roundTrips(end, axis, look)).map((line) => line && bare(line)),
    ),
    strip(
      "Retransmits",
      "segments/s",
      HEIGHTS.small,
      each((end, look) => retransmits(end, axis, look)),
    ),
    waiting && { ...waiting, max: 100 },
  ];
  return strips.filter((one) => one !== null);
}

/** The bands of several lines would hide each other. */
const bare = ({ band: _, ...line }: Line): Line => line;

/** The largest unit in which the highest rate is one or more. */
function scaleOf(ends: readonly EndSamples[]): { name: string; size: number } {
  const highest = Math.max(
    0,
    ...ends.flatMap(({ samples }) => columnOf(samples, RECORDS).map((value) => value ?? 0)),
  );
  return UNITS.find(({ size }) => highest >= size) ?? { name: "records/s", size: 1 };
}
