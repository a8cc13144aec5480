import { formatRate, type RateUnit } from "@/components/quantities";
import { fasterSentence } from "@/features/compare/ratioWords";
import type { PathComparison } from "@/features/kinds/path/shapes";
import { LEGS } from "@/features/kinds/path/words";
import { limitSentences } from "@/features/transfers/limits";

type Outcome = NonNullable<PathComparison["outcome"]>;
type Run = PathComparison["runs"][number];

/** Which of the first two runs is faster, and what limits each. */
export function answerSentences(
  { outcome, runs }: Pick<PathComparison, "outcome" | "runs">,
  nameOf: (run: number) => string,
  unit: RateUnit,
): string[] {
  if (outcome === null) return [];
  const of = (id: number) => runs.find((run) => run.id === id);
  const names = [nameOf(outcome.a), nameOf(outcome.b)] as const;
  return [
    faster(outcome, of(outcome.a), of(outcome.b), names, unit),
    ...limitSentences([outcome.a_limit, outcome.b_limit], names),
  ];
}

const NO_RATE = "no reliable rate";

function faster(
  { answer, ratio }: Outcome,
  runA: Run | undefined,
  runB: Run | undefined,
  names: readonly [string, string],
  unit: RateUnit,
): string {
  const [one, other] = names;
  const reached = [runA, runB].map((run) => reachedWords(run, unit));
  if (reached.every((words) => words === NO_RATE)) {
    return `${one} and ${other} cannot be compared: neither has a reliable rate.`;
  }
  if (answer === "not_comparable" || ratio === null) {
    return `${one} and ${other} cannot be compared: ${one} has ${reached[0]}; ${other} has ${reached[1]}.`;
  }
  return fasterSentence(answer, ratio, names, `(${reached[0]} against ${reached[1]})`);
}

/** "545 MB/s disk to disk", or that there is no rate. */
function reachedWords(run: Run | undefined, unit: RateUnit): string {
  const { headline } = run?.result ?? {};
  if (!headline || headline.bytes_per_s === null || headline.leg === null) {
    return NO_RATE;
  }
  return `${formatRate(headline.bytes_per_s, unit)} ${LEGS[headline.leg].title.toLowerCase()}`;
}
