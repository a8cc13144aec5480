import type { components } from "@/api/schema";
import {
  count,
  formatBlock,
  formatBytes,
  formatLatency,
  formatShare,
  type RateUnit,
  wordsText,
} from "@/components/quantities";
import { cardSpeed } from "@/features/targets/describe";
import { EndsFacts } from "./EndsFacts";
import classes from "./Transfers.module.css";

interface Connection {
  /** The sender's name. */
  name: string;
  link: LinkFigures;
  sender: EndFigures | null;
  receiver: EndFigures | null;
}

/** What TCP and the cards did in a trial, as each sender saw it. */
export function ConnectionFacts({ connections }: { connections: Connection[] }) {
  const each = connections.map(connectionTexts);
  return (
    <EndsFacts
      caption="Connections of each sender"
      ends={connections.map(({ name }) => name)}
      facts={(each[0] ?? []).map(([name], place) => [
        name,
        each.map((texts) => texts[place]?.[1] ?? null),
      ])}
    />
  );
}

function connectionTexts({ link, sender, receiver }: Connection): [string, string | null][] {
  const of = <T,>(value: T | null, format: (value: T) => string) =>
    value === null ? null : format(value);
  return [
    ["Streams", count(link.streams)],
    ["Congestion control", link.congestion_control],
    ["Segment size", of(link.mss_bytes, formatBlock)],
    ["Send buffer", of(link.send_buffer_bytes, formatBytes)],
    ["Receive buffer", of(link.receive_buffer_bytes, formatBytes)],
    ["Round trip, idle", of(link.rtt_idle_ns, formatLatency)],
    ["Round trip, loaded", of(link.rtt_load_ns, formatLatency)],
    ["Retransmitted", retransmitWords(link.retransmits, link.retransmitted)],
    [
      "Window-limited",
      of(link.receive_window_limited, (share) => `${formatShare(share)} of the busy time`),
    ],
    [
      "Buffer-limited",
      of(link.send_buffer_limited, (share) => `${formatShare(share)} of the busy time`),
    ],
    ["Sender's card", cardWords(sender)],
    ["Receiver's card", cardWords(receiver)],
    [
      "Rejected",
      `${count(link.rejected)} ${link.rejected === 1 ? "connection" : "connections"} of others`,
    ],
  ];
}

const retransmitWords = (segments: number, share: number | null): string =>
  share === null
    ? `${count(segments)} segments`
    : `${count(segments)} segments, ${formatShare(share)} of the data`;

/** "eth0, 10 Gb/s, MTU 9,000, NUMA node 0" */
function cardWords(end: EndFigures | null): string | null {
  if (!end?.card) return null;
  const { name, speed_bits_per_s, mtu_bytes, numa_node } = end.card;
  return [
    name,
    speed_bits_per_s ? cardSpeed(speed_bits_per_s) : null,
    mtu_bytes ? `MTU ${count(mtu_bytes)}` : null,
    numa_node === null ? null : `NUMA node ${numa_node}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What limits a transfer, in one sentence, and the evidence for it. */
export function BottleneckEvidence({
  bottleneck: { sentence, evidence },
  unit,
}: {
  bottleneck: Bottleneck;
  unit: RateUnit;
}) {
  return (
    <>
      <p className={classes.limit}>{sentence}</p>
      {evidence.length > 0 ? (
        <ul className={classes.evidence} aria-label="Evidence">
          {evidence
            .map(({ message }) => wordsText(message, unit))
            .map((text) => (
              <li key={text}>{text}</li>
            ))}
        </ul>
      ) : null}
    </>
  );
}

type Schemas = components["schemas"];

export type Bottleneck = Schemas["Bottleneck"];
export type EndFigures = Schemas["EndFigures"];
export type LinkFigures = Schemas["LinkFigures"];
export type Limit = Bottleneck["limit"];
