import { fasterSentence } from "@/features/compare/ratioWords";
import type { ToolComparison } from "@/features/kinds/tool/shapes";

type Outcome = NonNullable<ToolComparison["outcome"]>;

/** Which of both runs moves data faster, by the fastest way of each. */
export function answerSentences(
  outcome: Outcome | null,
  nameOf: (run: number) => string,
): string[] {
  if (outcome === null) return [];
  return [faster(outcome, [nameOf(outcome.a), nameOf(outcome.b)]), ...inputs(outcome)];
}

function faster({ answer, ratio, ...outcome }: Outcome, names: readonly [string, string]): string {
  if (answer === "not_comparable" || ratio === null) {
    return `${names[0]} and ${names[1]} cannot be compared: one of them has no reliable rate.`;
  }
  const [a, b] = [fastestOf(outcome, outcome.a), fastestOf(outcome, outcome.b)];
  return fasterSentence(answer, ratio, names, `(${a} against ${b})`);
}

/** The name of a run's fastest way of moving data that lost nothing; of the fastest, if all did. */
function fastestOf({ sides }: Pick<Outcome, "sides">, run: number): string {
  const own = sides.filter(({ run_id }) => run_id === run);
  const whole = own.filter(({ lost }) => !lost);
  const rate = (side: (typeof own)[number]) => side.bytes_per_s ?? 0;
  return (
    (whole.length > 0 ? whole : own).toSorted((one, other) => rate(other) - rate(one))[0]?.name ??
    "nothing"
  );
}

function inputs({ same_input }: Outcome): string[] {
  return same_input === false
    ? ["They moved different amounts of data, so the ratio says little."]
    : [];
}
