import { Facts } from "@/components/Facts";
import {
  count,
  formatBlock,
  formatBytes,
  formatLatency,
  formatShare,
} from "@/components/quantities";
import { cardSpeed } from "@/features/hosts/describe";
import type { EndFigures, LinkFigures } from "./shapes";

interface ConnectionFactsProps {
  link: LinkFigures;
  sender: EndFigures | null;
  receiver: EndFigures | null;
}

/** What TCP and the cards did in a trial, as the sender saw it. */
export function ConnectionFacts({ link, sender, receiver }: ConnectionFactsProps) {
  const of = <T,>(value: T | null, format: (value: T) => string) =>
    value === null ? null : format(value);
  return (
    <Facts
      facts={[
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
      ]}
    />
  );
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
