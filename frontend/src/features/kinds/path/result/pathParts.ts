/** A trial as the parts that its data passed, each with its load. */
import {
  figure,
  formatLatency,
  formatRate,
  formatShare,
  type RateUnit,
} from "@/components/quantities";
import {
  isTransfer,
  type PathLeg,
  type PathSetting,
  type PathTrial,
  readsDisk,
  writesDisk,
} from "@/features/kinds/path/path";
import { cardSpeed } from "@/features/targets/describe";
import { knownLimits } from "@/features/transfers/FanDrawing";
import type { PathPart, PathSection } from "@/features/transfers/PathDrawing";
import type { EndFigures, Limit } from "@/features/transfers/TransferFacts";

/** The part of the drawing that is what limits. */
const PLACES: Partial<Record<Limit, readonly string[]>> = {
  source_disk: ["source"],
  sink_disk: ["sink"],
  shared_disk: ["source", "sink"],
  source_files: ["source"],
  sink_files: ["sink"],
  sender_cpu: ["sender cpu"],
  receiver_cpu: ["receiver cpu"],
  source_card: ["sender card"],
  sink_card: ["receiver card"],
  link: ["link"],
  network: ["link"],
  loss: ["link"],
  pacing: ["link"],
  receive_buffer: ["receiver card"],
  send_buffer: ["sender card"],
};

/** A trial with its ends, as far as it is drawn. */
export interface ShownPath {
  setting: PathSetting;
  leg: PathLeg;
  trial: Pick<PathTrial, "sender" | "receiver" | "link" | "application_bytes_per_s">;
  /** The hosts of both ends. */
  ends: { sender: string; receiver: string };
  /** The physical devices below both targets; none if they are unknown. */
  devices?: { sender: readonly string[]; receiver: readonly string[] };
  /** The data passes no card. */
  sameHost: boolean;
}

/** Shorter waits say nothing. */
const LEAST_WAIT = 0.01;

const IDLE = "not used in this leg";

/**
 * The source, the link and the sink of a trial, or of one of its pairs; the bottleneck is that of the
 * setting's transfer.
 */
export function pathSections(
  { setting, leg, trial, ends, devices, sameHost }: ShownPath,
  unit: RateUnit,
): PathSection[] {
  const named = limitsOf(setting, leg).flatMap((limit) => PLACES[limit] ?? []);
  const isLimit = (place: string) => named.includes(place);
  const { sender, receiver } = trial;
  const rate = trial.application_bytes_per_s;
  const moves = isTransfer(leg.leg);
  const cards = !sameHost;
  const card = (end: EndFigures | null, name: string, place: string): PathPart =>
    cardPart(end, name, moves ? rate : null, unit, isLimit(place));
  return [
    {
      title: `Source: ${ends.sender}`,
      parts: [
        storagePart({
          side: "Source",
          usesDisk: readsDisk(leg.leg),
          end: sender,
          devices: devices?.sender,
          stages: ["read", "fill"],
          waiting: ["full", "on a full ring"],
          isBottleneck: isLimit("source"),
        }),
        cpuPart(sender, "Source CPU", isLimit("sender cpu")),
        ...(cards ? [card(sender, "Source card", "sender card")] : []),
      ],
    },
    {
      title: "Network",
      parts: [linkPart(trial, moves ? rate : null, unit, sameHost, isLimit("link"))],
    },
    {
      title: `Sink: ${ends.receiver}`,
      parts: [
        ...(cards ? [card(receiver, "Sink card", "receiver card")] : []),
        cpuPart(receiver, "Sink CPU", isLimit("receiver cpu")),
        storagePart({
          side: "Sink",
          usesDisk: writesDisk(leg.leg),
          end: receiver,
          devices: devices?.receiver,
          stages: ["write"],
          waiting: ["empty", "on an empty ring"],
          isBottleneck: isLimit("sink"),
        }),
      ],
    },
  ];
}

/** What limits a leg: of the setting's transfer, its bottleneck. */
export const limitsOf = (
  { bottleneck, transfer }: PathSetting,
  { leg }: Pick<PathLeg, "leg">,
): Limit[] => (leg === transfer ? knownLimits(bottleneck) : []);

interface StorageSide {
  side: string;
  usesDisk: boolean;
  end: EndFigures | null;
  devices: readonly string[] | undefined;
  stages: readonly string[];
  /** The wait that says that the rest of the path is slower. */
  waiting: readonly [key: "full" | "empty", words: string];
  isBottleneck: boolean;
}

/** A disk with the share of the time that its threads were in calls; or memory. */
function storagePart({
  side,
  usesDisk,
  end,
  devices,
  stages,
  waiting,
  isBottleneck,
}: StorageSide): PathPart {
  const name = `${side} ${usesDisk ? "disk" : "memory"}`;
  const kind = usesDisk ? "disk" : "memory";
  const none = { kind, name, detail: null, load: null, share: null, isBottleneck } as const;
  if (end === null) return { ...none, note: IDLE };
  const stage = end.stages.find((one) => stages.includes(one.name));
  if (!usesDisk || !stage) return { ...none, note: null };
  const [key, words] = waiting;
  const wait = stage[key] >= LEAST_WAIT ? `; waited ${formatShare(stage[key])} ${words}` : "";
  return {
    ...none,
    detail: devices ? threadWords(stage.threads, devices) : null,
    load: formatShare(stage.busy),
    share: stage.busy,
    note: `of the time in calls${wait}`,
  };
}

/** "2 threads, sda and sdb" */
export function threadWords(threads: number, devices: readonly string[]): string {
  const count = threads === 1 ? "1 thread" : `${threads} threads`;
  const MOST = 4;
  const on =
    devices.length > MOST
      ? `${devices.length} devices`
      : new Intl.ListFormat("en", { type: "conjunction" }).format(devices);
  return `${count}, ${on || "devices unknown"}`;
}

/** The busiest core, with the mean of all and what the probe itself used. */
function cpuPart(end: EndFigures | null, name: string, isBottleneck: boolean): PathPart {
  const part = { kind: "cpu", name, detail: null, isBottleneck } as const;
  if (end === null) return { ...part, load: null, share: null, note: IDLE };
  const { load, own_cores } = end;
  if (load === null) return { ...part, load: null, share: null, note: "not recorded" };
  const all = load.user + load.system + load.softirq;
  const own = own_cores === null ? "" : `; probe ${figure(own_cores)} cores`;
  return {
    ...part,
    load: formatShare(load.busiest_core),
    share: load.busiest_core,
    note: `busiest core; all CPUs ${formatShare(all)}${own}`,
  };
}

/** The card's payload rate as a share of its speed. */
function cardPart(
  end: EndFigures | null,
  name: string,
  bytesPerS: number | null,
  unit: RateUnit,
  isBottleneck: boolean,
): PathPart {
  const part = { kind: "card", name, isBottleneck } as const;
  const card = end?.card ?? null;
  if (end === null || bytesPerS === null) {
    return { ...part, detail: card?.name ?? null, load: null, share: null, note: IDLE };
  }
  const load = formatRate(bytesPerS, unit);
  if (card === null) {
    return { ...part, detail: null, load, share: null, note: "card not recorded" };
  }
  const { speed_bits_per_s: speed } = card;
  if (!speed) {
    return { ...part, detail: card.name, load, share: null, note: "speed not reported" };
  }
  const share = (bytesPerS * 8) / speed;
  return {
    ...part,
    detail: `${card.name}, ${cardSpeed(speed)}`,
    load,
    share,
    note: `${formatShare(share)} of its speed`,
  };
}

/** The streams, with what the sender saw of the network. */
function linkPart(
  { link }: Pick<PathTrial, "link">,
  bytesPerS: number | null,
  unit: RateUnit,
  loopback: boolean,
  isBottleneck: boolean,
): PathPart {
  const part = {
    kind: "link",
    name: loopback ? "Loopback" : "Link",
    share: null,
    isBottleneck,
  } as const;
  if (link === null || bytesPerS === null) {
    return { ...part, detail: null, load: null, note: IDLE };
  }
  const { streams, congestion_control, rtt_load_ns, retransmitted } = link;
  const count = streams === 1 ? "1 stream" : `${streams} streams`;
  const seen = [
    rtt_load_ns === null ? null : `round trip ${formatLatency(rtt_load_ns)}`,
    retransmitted === null ? null : `${formatShare(retransmitted)} retransmitted`,
  ];
  return {
    ...part,
    detail: [count, congestion_control].filter(Boolean).join(", "),
    load: formatRate(bytesPerS, unit),
    note: seen.filter(Boolean).join("; ") || null,
  };
}
