import type { Path, PathLeg, PathSetting, PathTrial } from "@/features/kinds/path/path";
import { begunOf, nearestToMean } from "@/features/kinds/results";

/** What a result page shows, from its address: a link shows the reader what the sender saw. */
export interface ShownSearch {
  /** A setting by its key, one of its legs, and one of the leg's repeats. */
  setting?: string;
  leg?: string;
  repeat?: string;
  /** One of the pairs that run together, by its position. */
  pair?: string;
  /** A trial by its id, as a verdict links to its evidence; it decides over the others. */
  trial?: string;
}

export interface Shown {
  setting: PathSetting | null;
  leg: PathLeg | null;
  trial: PathTrial | null;
}

type Setting = Pick<PathSetting, "block" | "streams">;

/** Identifies a setting in an address: "1048576x4". */
export const settingKey = ({ block, streams }: Setting): string =>
  streams === null ? String(block) : `${block}x${streams}`;

/** The legs of a setting, in the order of display: those without network have no streams. */
export const legsOf = ({ legs }: Path, { block, streams }: Setting): PathLeg[] =>
  legs.filter((leg) => leg.block === block && (leg.streams === null || leg.streams === streams));

/** The part of a result that an address means; what it cannot mean takes its default. */
export function shownIn(result: Path, search: object): Shown {
  const { setting: key, leg: name, repeat, trial: id } = search as ShownSearch;
  const linked = result.legs.find(({ trials }) => trials.some((one) => String(one.id) === id));
  const isLinked = (one: PathSetting) =>
    linked !== undefined && legsOf(result, one).includes(linked);
  const setting =
    result.settings.find((one) => isLinked(one) && settingKey(one) === key) ??
    result.settings.find(isLinked) ??
    result.settings.find((one) => settingKey(one) === key) ??
    result.settings[result.best ?? 0] ??
    null;
  const legs = setting ? legsOf(result, setting) : [];
  const leg =
    linked ??
    legs.find((one) => one.leg === name) ??
    legs.find((one) => one.leg === setting?.transfer && hasBegun(one)) ??
    legs.find(hasBegun) ??
    null;
  return { setting, leg, trial: leg && trialOf(leg, id, repeat) };
}

const hasBegun = (leg: PathLeg): boolean => begunOf(leg).length > 0;

/** The linked trial, the repeat, the one nearest to the leg's mean, or the first that has begun. */
function trialOf(leg: PathLeg, id?: string, repeat?: string): PathTrial | null {
  const begun = begunOf(leg);
  const mean = leg.bytes_per_s?.mean;
  return (
    begun.find((trial) => String(trial.id) === id) ??
    begun.find((trial) => String(trial.repeat) === repeat) ??
    (mean === undefined
      ? begun[0]
      : nearestToMean(begun, mean, (trial) => leadingRate(leg, trial))) ??
    null
  );
}

/** The rate of a trial that leads in its leg. */
export const leadingRate = (
  { rate }: Pick<PathLeg, "rate">,
  { durable_bytes_per_s, application_bytes_per_s }: PathTrial,
): number | null => (rate === "durable" ? durable_bytes_per_s : application_bytes_per_s);

/** Why a leg's rate is no result, in a word; null if it is one. */
export const doubtOf = ({ inflated, reliable }: PathLeg): string | null =>
  inflated ? "cache" : reliable ? null : "unreliable";
