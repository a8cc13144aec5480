/** The legs of a setting as bars. */
import { formatShare, inUnit, type RateUnit } from "@/components/quantities";
import type { PathLeg, PathSetting, PathTrial } from "@/features/kinds/path/shapes";
import { LEGS } from "@/features/kinds/path/words";
import { codeWords } from "@/features/kinds/trials";
import type { Limit } from "@/features/transfers/limits";
import type { LegBar } from "./LegBars";
import { leadingRate } from "./shown";

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
    note: noteOf(leg),
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
  if (inflated) return inUnit(inflated.message, inflated.figures, unit);
  if (trials.some(({ wrong_blocks }) => wrong_blocks > 0)) return "Data did not arrive as sent.";
  const why = trials.find(({ reason }) => reason)?.reason;
  if (why) return why;
  return state === "running" ? "Running" : "Not measured";
}

/** "durable; 3 repeats, CV 1.2 %" */
function noteOf(leg: PathLeg): string | null {
  const stat = leg.bytes_per_s;
  if (stat === null) return null;
  const repeats = stat.n === 1 ? "single repeat" : `mean of ${stat.n} repeats`;
  const spread = stat.cv === null ? "" : `, CV ${formatShare(stat.cv)}`;
  const rate = leg.rate === "durable" ? "durable; " : "";
  const cached = leg.trials.filter(({ inflated }) => inflated !== null).length;
  const cache = cached > 0 ? `; ${cached} more inflated by a cache` : "";
  const flags = [...new Set(leg.trials.flatMap(({ flags: own }) => own.map(({ code }) => code)))];
  const doubt = leg.reliable || flags.length === 0 ? "" : `; ${flags.map(codeWords).join(", ")}`;
  return `${rate}${repeats}${spread}${cache}${doubt}`;
}
