import type { Flag, FlagCode, RateKind } from "@/api/shapes";
import type { Shape } from "@/components/state/shapes";

/** How each flag is shown: a shape, a color and a word. */
export const FLAG_LOOKS: Record<FlagCode, { shape: Shape; colour: string; word: string }> = {
  suspended: { shape: "cross", colour: "--fail", word: "suspended" },
  starved: { shape: "cross", colour: "--fail", word: "starved" },
  contended: { shape: "gap", colour: "--lost", word: "contended" },
  too_short: { shape: "diamond", colour: "--inconclusive", word: "too short" },
  timed_out: { shape: "half", colour: "--waived", word: "timed out" },
  cliff: { shape: "slash", colour: "--inconclusive", word: "cliff" },
  unstable: { shape: "ring", colour: "--inconclusive", word: "unstable" },
};

/** The flags of a cell or trial that concern a rate, the gravest first. */
export const flagsOf = ({ flags }: { flags: readonly Flag[] }, rate: RateKind): Flag[] =>
  flags.filter(({ rates }) => rates.includes(rate));
