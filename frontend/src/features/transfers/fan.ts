/** Ends of a transfer as parts of a drawing, with what limits it. */
import { formatShare } from "@/components/quantities";
import { cardSpeed } from "@/features/hosts/describe";
import type { FanEnd, FanLine, FanPart } from "./FanDrawing";
import type { Limit } from "./limits";
import type { PartKind } from "./PartGlyph";
import type { Bottleneck, EndFigures } from "./shapes";

/** What a drawing of several sources and sinks shows. */
export interface Fan {
  sources: FanEnd[];
  sinks: FanEnd[];
  lines: FanLine[];
  isNetworkBottleneck: boolean;
}

type Side = "source" | "sink";

/** Where the evidence for a limit is drawn. */
const PLACES: Partial<Record<Limit, { side: Side; kind: PartKind }[]>> = {
  source_disk: [{ side: "source", kind: "disk" }],
  sink_disk: [{ side: "sink", kind: "disk" }],
  shared_disk: [
    { side: "source", kind: "disk" },
    { side: "sink", kind: "disk" },
  ],
  source_files: [{ side: "source", kind: "disk" }],
  sink_files: [{ side: "sink", kind: "disk" }],
  sender_cpu: [{ side: "source", kind: "cpu" }],
  receiver_cpu: [{ side: "sink", kind: "cpu" }],
  source_card: [{ side: "source", kind: "card" }],
  sink_card: [{ side: "sink", kind: "card" }],
  send_buffer: [{ side: "source", kind: "card" }],
  receive_buffer: [{ side: "sink", kind: "card" }],
};

const NETWORK: readonly Limit[] = ["link", "network", "loss", "pacing", "acknowledgements"];

/** Whether the network between the ends is among what limits. */
export const isNetwork = (limits: readonly Limit[]): boolean =>
  limits.some((limit) => NETWORK.includes(limit));

/** What limits, and what limits as well; undetermined ones are none. */
export const knownLimits = (bottleneck: Bottleneck | null): Limit[] =>
  bottleneck && bottleneck.limit !== "undetermined" ? [bottleneck.limit, ...bottleneck.others] : [];

/** Disk or memory of an end, its busiest core and its card; those that limit are marked. */
export function endParts(
  side: Side,
  end: EndFigures | null,
  usesDisk: boolean,
  limits: readonly Limit[],
): FanPart[] {
  const storage = usesDisk ? "disk" : "memory";
  const parts: FanPart[] = [
    { kind: storage, words: storage },
    ...(end?.load
      ? [{ kind: "cpu" as const, words: `busiest core ${formatShare(end.load.busiest_core)}` }]
      : []),
    ...(end?.card ? [{ kind: "card" as const, words: cardWords(end.card) }] : []),
  ];
  const limiting = limits.flatMap((limit) => PLACES[limit] ?? []);
  return parts.map((part) => ({
    ...part,
    isBottleneck: limiting.some((at) => at.side === side && at.kind === part.kind),
  }));
}

const cardWords = ({ name, speed_bits_per_s: speed }: NonNullable<EndFigures["card"]>): string =>
  speed ? `${name}, ${cardSpeed(speed)}` : name;
