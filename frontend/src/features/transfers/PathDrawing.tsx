import type { CSSProperties } from "react";
import { StateShape } from "@/components/state/StateBadge";
import { PartGlyph, type PartKind } from "./FanDrawing";
import classes from "./PathDrawing.module.css";

/** One part of a path, such as the receiver's network card. */
export interface PathPart {
  kind: PartKind;
  name: string;
  /** Which one it is: "sdb", "10 Gb/s". */
  detail: string | null;
  /** How much it carried or how busy it was: "148 MB/s"; null if that was not measured. */
  load: string | null;
  /** Its load as a share of what it can do, from 0 to 1; null if either is unknown. */
  share: number | null;
  /** What `share` is of, such as "busy"; or why there is no load. */
  note: string | null;
  /** Whether it limits the path. */
  isBottleneck: boolean;
}

export interface PathSection {
  /** A host with its role, or the link. */
  title: string;
  parts: readonly PathPart[];
}

/** The parts that data passes from source to sink, in their order, each with its load. */
export function PathDrawing({ sections }: { sections: readonly PathSection[] }) {
  return (
    <div className={classes.frame}>
      <div className={classes.path}>
        {sections.map(({ title, parts }) => (
          <section
            key={title}
            className={classes.section}
            style={{ "--parts": parts.length } as CSSProperties}
            aria-label={title}
          >
            <h3 className={classes.title}>{title}</h3>
            <ol className={classes.parts}>
              {parts.map((part) => (
                <Part key={part.name} part={part} />
              ))}
            </ol>
          </section>
        ))}
      </div>
    </div>
  );
}

function Part({ part }: { part: PathPart }) {
  const { kind, name, detail, load, share, note, isBottleneck } = part;
  return (
    <li className={classes.part} data-bottleneck={isBottleneck || undefined}>
      <span className={classes.glyph}>
        <PartGlyph kind={kind} />
      </span>
      <div className={classes.words}>
        <p className={classes.name}>{name}</p>
        {detail ? <p className={classes.detail}>{detail}</p> : null}
        {load !== null || note !== null ? <p className={classes.load}>{load ?? "–"}</p> : null}
        {share === null ? null : (
          <div className={classes.meter} aria-hidden="true">
            <div style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
          </div>
        )}
        {note ? <p className={classes.note}>{note}</p> : null}
        {isBottleneck ? (
          <p className={classes.bottleneck}>
            <StateShape shape="gap" />
            Bottleneck
          </p>
        ) : null}
      </div>
    </li>
  );
}
