/** Ends of a transfer as parts of a drawing, with what limits it. */
import { formatShare } from "@/components/quantities";
import { StateShape } from "@/components/state/StateBadge";
import { cardSpeed } from "@/features/targets/describe";
import classes from "./FanDrawing.module.css";
import type { Bottleneck, EndFigures, Limit } from "./TransferFacts";

/** One part of an end, such as its card. */
interface FanPart {
  kind: PartKind;
  /** Which one it is, and how busy: "eth0, 10 Gb/s". */
  words: string;
  isBottleneck?: boolean;
}

/** A source or a sink: a directory, or a host with its directories. */
export interface FanEnd {
  key: string;
  /** "web-1 /mnt/a" */
  title: string;
  parts: readonly FanPart[];
  /** What it sent or received: "148 MB/s, 33 %"; null before it is measured. */
  load?: string | null;
}

/** Data that passes from a source to a sink, by their indices. */
export interface FanLine {
  from: number;
  to: number;
  /** Its share of all data, from 0 to 1, as the line's width; null if it is not measured. */
  share?: number | null;
}

interface FanDrawingProps {
  sources: readonly FanEnd[];
  sinks: readonly FanEnd[];
  lines: readonly FanLine[];
  /** The network between them is what limits. */
  isNetworkBottleneck?: boolean;
}

const THINNEST = 1.5;
const THICKEST = 14;

/** Several sources and sinks, and what passes between them. */
export function FanDrawing({ sources, sinks, lines, isNetworkBottleneck }: FanDrawingProps) {
  const middle = (index: number, of: number) => ((index + 0.5) / of) * 100;
  return (
    <div className={classes.frame}>
      <div className={classes.fan}>
        <Ends label={sources.length > 1 ? "Sources" : "Source"} ends={sources} />
        <div className={classes.network} data-bottleneck={isNetworkBottleneck || undefined}>
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            {lines.map(({ from, to, share }) => (
              <line
                key={`${from} ${to}`}
                x1="0"
                y1={middle(from, sources.length)}
                x2="100"
                y2={middle(to, sinks.length)}
                strokeWidth={share == null ? THINNEST : Math.max(THINNEST, share * THICKEST)}
                vectorEffect="non-scaling-stroke"
              />
            ))}
          </svg>
          {isNetworkBottleneck ? <BottleneckWord /> : null}
        </div>
        <Ends label={sinks.length > 1 ? "Sinks" : "Sink"} ends={sinks} />
      </div>
    </div>
  );
}

function Ends({ label, ends }: { label: string; ends: readonly FanEnd[] }) {
  return (
    <section className={classes.side} aria-label={label}>
      <h3 className={classes.label}>{label}</h3>
      <ol className={classes.ends}>
        {ends.map(({ key, title, parts, load }) => (
          <li key={key} className={classes.end}>
            <p className={classes.title}>{title}</p>
            <ul className={classes.parts}>
              {parts.map(({ kind, words, isBottleneck }) => (
                <li key={`${kind} ${words}`} data-bottleneck={isBottleneck || undefined}>
                  <PartGlyph kind={kind} />
                  <span>{words}</span>
                  {isBottleneck ? <BottleneckWord /> : null}
                </li>
              ))}
            </ul>
            {load ? <p className={classes.load}>{load}</p> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

const BottleneckWord = () => (
  <span className={classes.bottleneck}>
    <StateShape shape="gap" />
    Bottleneck
  </span>
);

/** What a part of a path is. */
export type PartKind = "disk" | "memory" | "cpu" | "card" | "link";

/** A drawing of a part, beside text that names it. */
export function PartGlyph({ kind }: { kind: PartKind }) {
  return (
    <svg
      viewBox="0 0 20 20"
      width="20"
      height="20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      aria-hidden="true"
    >
      {drawing[kind]}
    </svg>
  );
}

const drawing: Record<PartKind, React.ReactNode> = {
  disk: (
    <>
      <ellipse cx="10" cy="5" rx="6.5" ry="2.5" />
      <path d="M3.5 5v10c0 1.4 2.9 2.5 6.5 2.5s6.5-1.1 6.5-2.5V5M3.5 10c0 1.4 2.9 2.5 6.5 2.5s6.5-1.1 6.5-2.5" />
    </>
  ),
  memory: (
    <path d="M2.5 6h15v7.5h-15ZM5.5 8.5v2.5M10 8.5v2.5M14.5 8.500v2.500M5 13.500V16M8.3 13.500V16M11.7 13.500V16M15 13.500V16" />
  ),
  cpu: (
    <path d="M5.5 5.500h9v9h-9ZM8 8h4v4H8ZM8 5.500V2.500M12 5.500V2.500M8 17.500v-3M12 17.500v-3M5.5 8h-3M5.5 12h-3M17.5 8h-3M17.5 12h-3" />
  ),
  card: (
    <path d="M2.5 4.500v12M2.5 6h15v8h-15M6 14v2.500h6V14M6.5 9h3v2.500h-3ZM12.5 9h2v2.500h-2Z" />
  ),
  link: <path d="M2 10h16M14.5 6.5 18 10l-3.5 3.5" />,
};

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
