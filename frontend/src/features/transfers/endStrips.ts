/** Both ends of a trial as strips over one time axis. */
import type { Line, Strip } from "@/charts/figure";
import type { Axis } from "@/charts/timeAxis";
import { type RateUnit, rateIn } from "@/components/quantities";
import { stackedCpuStrip } from "@/features/samples/hostStrips";
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
} from "./courses";

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
