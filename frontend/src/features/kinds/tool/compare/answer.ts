import { figure } from "@/components/quantities";
import type { ToolComparison } from "@/features/kinds/tool/shapes";

type Outcome = NonNullable<ToolComparison["outcome"]>;

/** Which of both runs moves data faster, by the fastest way of each. */
export function answerSentences(
  outcome: Outcome | null,
  nameOf: (run: number) => string,
): string[] {
  if (outcome === null) return [];
  const [a, b] = [nameOf(outcome.a), nameOf(outcome.b)];
  return [faster(outcome, a, b), ...inputs(outcome)];
}

function faster({ answer, ratio, ...outcome }: Outcome, a: string, b: string): string {
  const [ofA, ofB] = [fastestOf(outcome, outcome.a), fastestOf(outcome, outcome.b)];
  if (answer === "not_comparable" || ratio === null) {
    return `${a} and ${b} cannot be compared: one of them has no reliable rate.`;
  }
  const against = `(${ofA} against ${ofB})`;
  if (answer === "too_few_repeats") {
    return `${a} has ${figure(ratio)} times the rate of ${b} ${against}, in too few repeats to exclude noise.`;
  }
  if (answer === "within_noise") return `${a} is as fast as ${b} within noise ${against}.`;
  const [word, factor] = ratio >= 1 ? ["faster", ratio] : ["slower", 1 / ratio];
  return `${a} is ${figure(factor)} times ${word} than ${b} ${against}.`;
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
