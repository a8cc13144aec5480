/** The legs of a setting as bars. */
import { formatRate, type RateUnit, wordsText } from "@/components/quantities";
import { StateShape } from "@/components/state/StateBadge";
import { LEGS, type PathLeg, type PathSetting, type PathTrial } from "@/features/kinds/path/path";
import { codeWords } from "@/features/kinds/results";
import type { Limit } from "@/features/transfers/TransferFacts";
import classes from "./Path.module.css";
import { leadingRate } from "./shown";

/** A leg as a bar. */
interface LegBar {
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
                <div className={classes.expectedBar} style={{ left: at(expected) }} />
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

/** The leg that measures by itself what limits. */
const MEASURED_BY: Partial<Record<Limit, readonly PathLeg["leg"][]>> = {
  source_disk: ["read"],
  sink_disk: ["write"],
  shared_disk: ["read", "write"],
  source_files: ["read"],
  sink_files: ["write"],
  source_card: ["memory"],
  sink_card: ["memory"],
  link: ["memory"],
  network: ["memory"],
  loss: ["memory"],
  receive_buffer: ["memory"],
  send_buffer: ["memory"],
  pacing: ["memory"],
};

/** A bar for each leg, the ones that limit the transfer marked. */
export function legBars(
  legs: readonly PathLeg[],
  { bottleneck }: PathSetting,
  unit: RateUnit,
): LegBar[] {
  const limits = bottleneck ? [bottleneck.limit, ...bottleneck.others] : [];
  const isKnown = bottleneck !== null && bottleneck.limit !== "undetermined";
  return legs.map((leg) => ({
    key: leg.leg,
    name: LEGS[leg.leg].title,
    what: LEGS[leg.leg].what,
    bytesPerS: leg.bytes_per_s?.mean ?? null,
    reason: reasonOf(leg, unit),
    range: rangeOf(leg),
    note: noteOf(leg, unit),
    isBottleneck: isKnown && limits.some((limit) => MEASURED_BY[limit]?.includes(leg.leg)),
  }));
}

/** The trials that a leg's figures rest on: those that a cache inflates have none. */
const honest = ({ trials }: PathLeg): PathTrial[] =>
  trials.filter(({ inflated, wrong_blocks }) => inflated === null && wrong_blocks === 0);

function rangeOf(leg: PathLeg): readonly [number, number] | null {
  const rates = honest(leg).flatMap((trial) => leadingRate(leg, trial) ?? []);
  // the range is that of the mean, which leaves flagged trials out
  if (rates.length < 2 || rates.length !== leg.bytes_per_s?.n) return null;
  return [Math.min(...rates), Math.max(...rates)];
}

/** Why a leg has no rate; null if it has one. */
function reasonOf(leg: PathLeg, unit: RateUnit): string | null {
  if (leg.bytes_per_s !== null) return null;
  const { trials, state } = leg;
  const inflated = trials.find((trial) => trial.inflated)?.inflated;
  if (inflated) return wordsText(inflated.message, unit);
  if (trials.some(({ wrong_blocks }) => wrong_blocks > 0)) return "Data did not arrive as sent.";
  const why = trials.find(({ reason }) => reason)?.reason;
  if (why) return why;
  return state === "running" ? "Running" : "Not measured";
}

/** "durable; repeats: 3, CV 1.20 %" */
function noteOf(leg: PathLeg, unit: RateUnit): string | null {
  if (leg.bytes_per_s === null) return null;
  const repeats = `repeats: ${wordsText(leg.repeats, unit)}`;
  const rate = leg.rate === "durable" ? "durable; " : "";
  const flags = [...new Set(leg.trials.flatMap(({ flags: own }) => own.map(({ code }) => code)))];
  const doubt = leg.reliable || flags.length === 0 ? "" : `; ${flags.map(codeWords).join(", ")}`;
  return `${rate}${repeats}${doubt}`;
}
