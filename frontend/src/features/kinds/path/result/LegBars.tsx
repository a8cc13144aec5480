import { formatRate, type RateUnit } from "@/components/quantities";
import { StateShape } from "@/components/state/StateBadge";
import classes from "./LegBars.module.css";

/** A leg as a bar. */
export interface LegBar {
  key: string;
  /** "Read", and what it moves from where to where. */
  name: string;
  what: string;
  /** Null if it has no reliable rate; `reason` then says why. */
  bytesPerS: number | null;
  reason: string | null;
  /** The least and the greatest repeat. */
  range: readonly [low: number, high: number] | null;
  /** What is said beside the rate: "3 repeats, ±2 %". */
  note: string | null;
  isBottleneck: boolean;
}

interface LegBarsProps {
  legs: readonly LegBar[];
  /** The rate that the legs would allow together, drawn as a line; null if one of them is unknown. */
  expected: number | null;
  unit: RateUnit;
  onSelect?: (key: string) => void;
  selected?: string;
}

/** The legs' rates on one scale, with the bottleneck marked. */
export function LegBars({ legs, expected, unit, selected, onSelect }: LegBarsProps) {
  const highest = Math.max(
    expected ?? 0,
    ...legs.map(({ bytesPerS, range }) => Math.max(bytesPerS ?? 0, range?.[1] ?? 0)),
  );
  const at = (rate: number) => `${highest > 0 ? (rate / highest) * 100 : 0}%`;
  return (
    <div className={classes.frame}>
      <ul className={classes.legs} aria-label="Legs">
        {legs.map((leg) => (
          <li key={leg.key} className={classes.leg} data-bottleneck={leg.isBottleneck || undefined}>
            <div className={classes.name}>
              {onSelect && leg.bytesPerS !== null ? (
                <button
                  type="button"
                  aria-pressed={leg.key === selected}
                  title="Show this leg over time"
                  onClick={() => onSelect(leg.key)}
                >
                  {leg.name}
                </button>
              ) : (
                <span className={classes.plain}>{leg.name}</span>
              )}
              <span className={classes.what}>{leg.what}</span>
            </div>
            <div className={classes.track} aria-hidden="true">
              {leg.bytesPerS === null ? null : (
                <div className={classes.bar} style={{ width: at(leg.bytesPerS) }} />
              )}
              {leg.range && leg.range[1] > leg.range[0] ? (
                <div
                  className={classes.range}
                  style={{ left: at(leg.range[0]), width: at(leg.range[1] - leg.range[0]) }}
                />
              ) : null}
              {expected === null ? null : (
                <div className={classes.expected} style={{ left: at(expected) }} />
              )}
            </div>
            <p className={classes.figure}>
              {leg.bytesPerS === null ? "–" : formatRate(leg.bytesPerS, unit)}
              {leg.isBottleneck ? (
                <span className={classes.bottleneck}>
                  <StateShape shape="gap" />
                  Bottleneck
                </span>
              ) : null}
            </p>
            <p className={classes.note}>{leg.reason ?? leg.note}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
