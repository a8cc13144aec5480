/** What all results have: a headline in words, trials, and marks where a rate changed for good. */
import { upperFirst } from "@mantine/hooks";
import type { Headline, Levels } from "@/api/shapes";
import type { Mark } from "@/charts/figure";
import {
  levelsWords,
  type RateUnit,
  shortLevels,
  type Words,
  wordsText,
} from "@/components/quantities";

type Worded = Pick<Headline, "words">;

/** A headline as one sentence, or why there is no result. */
export function headlineText({ words: { doubt, figure, rest } }: Worded, unit: RateUnit): string {
  const words: Words = [doubt ? `${doubt}: ` : "", ...(figure ? [figure, " "] : []), ...rest];
  return wordsText(words, unit);
}

/** A headline without its figure, as a sentence of its own, for where that stands beside it. */
export const restText = ({ words: { doubt, rest } }: Worded, unit: RateUnit): string =>
  upperFirst(wordsText([doubt ? `${doubt}: ` : "", ...rest], unit));

/** In place of a headline, as long as no trial has ended. */
export const unmeasuredWords = (ended: boolean): string =>
  ended ? "Nothing was measured." : "No result yet: no trial has ended.";

/** The trials that have begun. */
export const begunOf = <Trial extends { status: string }>({
  trials,
}: {
  trials: readonly Trial[];
}): Trial[] => trials.filter(({ status }) => status !== "waiting");

/** The trial whose rate is nearest to the mean; one without a rate comes last. */
export function nearestToMean<Trial>(
  trials: readonly Trial[],
  mean: number,
  rateOf: (trial: Trial) => number | null,
): Trial | undefined {
  const away = (trial: Trial) => {
    const rate = rateOf(trial);
    return rate === null ? Number.POSITIVE_INFINITY : Math.abs(rate - mean);
  };
  return [...trials].sort((one, other) => away(one) - away(other))[0];
}

/** A code as words: "short overlap". */
export const codeWords = (code: string): string => code.replaceAll("_", " ");

/** A flag as words: "contended", or "too short (application rate)" where it affects one rate. */
export const flagWords = ({ code, rates }: { code: string; rates: readonly string[] }): string =>
  rates.length === 1 ? `${codeWords(code)} (${rates[0]} rate)` : codeWords(code);

/** Of a trial: which of its rates are no part of the cell's figure, with the reason's code. */
export interface LeftOut {
  left_out?: { [rate: string]: string };
}

/**
 * A trial's status, notes that apply, its flags, and whether its cell's figure leaves it out:
 * "complete; sync timed out; contended; not counted".
 */
export function statusWords(
  {
    status,
    flags,
    left_out: leftOut = {},
  }: LeftOut & { status: string; flags: readonly { code: string; rates: readonly string[] }[] },
  ...notes: (string | false | null)[]
): string {
  const known = [...notes, ...flags.map(flagWords)].filter((one) => typeof one === "string");
  const [reason] = Object.values(leftOut);
  const isTold = flags.some(({ code }) => code === reason);
  const counted = reason ? [isTold ? "not counted" : `not counted: ${reason}`] : [];
  return [...new Set([status, ...known, ...counted].map(codeWords))].join("; ");
}

/**
 * Each change from one lasting level to the next as a mark of a chart; `placeOf` is where a level
 * begins on its axis, `name` whose levels they are. The first one's sentence has all levels.
 */
export const stepMarks = (
  levels: Levels,
  placeOf: (level: Levels[number]) => number,
  unit: RateUnit,
  name = "",
): Mark[] => {
  const whose = name ? `${name}: ` : "";
  return levels.slice(1).map((level, index) => {
    const change = shortLevels(levels.slice(index, index + 2), unit);
    const said =
      index === 0
        ? `The rate changed for good: ${levelsWords(levels, unit)}`
        : `The rate changed again: ${change}`;
    return { at: placeOf(level), label: whose + change, sentence: whose + said };
  });
};
