import type { Shape } from "@/components/state/states";
import type { Flag, FlagCode, RateKind } from "./shapes";

/** How each flag is shown: a shape, a color and a word. */
export const FLAG_LOOKS: Record<FlagCode, { shape: Shape; color: string; word: string }> = {
  suspended: { shape: "cross", color: "--fail", word: "suspended" },
  starved: { shape: "cross", color: "--fail", word: "starved" },
  contended: { shape: "gap", color: "--lost", word: "contended" },
  too_short: { shape: "diamond", color: "--inconclusive", word: "too short" },
  short_overlap: { shape: "gap", color: "--inconclusive", word: "short overlap" },
  timed_out: { shape: "half", color: "--waived", word: "timed out" },
  cliff: { shape: "slash", color: "--inconclusive", word: "cliff" },
  unstable: { shape: "ring", color: "--inconclusive", word: "unstable" },
};

/** The flags of a cell or trial that affect a rate, the most severe first. */
export const flagsOf = ({ flags }: { flags: readonly Flag[] }, rate: RateKind): Flag[] =>
  flags.filter(({ rates }) => rates.includes(rate));
