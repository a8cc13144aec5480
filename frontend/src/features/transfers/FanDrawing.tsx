import { StateShape } from "@/components/state/StateBadge";
import classes from "./FanDrawing.module.css";
import { PartGlyph, type PartKind } from "./PartGlyph";

/** One part of an end, such as its card. */
export interface FanPart {
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
          {isNetworkBottleneck ? <Bottleneck /> : null}
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
                  {isBottleneck ? <Bottleneck /> : null}
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

const Bottleneck = () => (
  <span className={classes.bottleneck}>
    <StateShape shape="gap" />
    Bottleneck
  </span>
);
