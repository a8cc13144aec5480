import { figure, formatRate, type RateUnit } from "@/components/quantities";
import type { PathComparison } from "@/features/kinds/path/shapes";
import { LEGS } from "@/features/kinds/path/words";
import { limitWords } from "@/features/transfers/limits";

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
  return [faster(outcome, of(outcome.a), of(outcome.b), nameOf, unit), ...limits(outcome, nameOf)];
}

function faster(
  { a, b, answer, ratio }: Outcome,
  runA: Run | undefined,
  runB: Run | undefined,
  nameOf: (run: number) => string,
  unit: RateUnit,
): string {
  const [one, other] = [nameOf(a), nameOf(b)];
  const reached = [runA, runB].map((run) => reachedWords(run, unit));
  if (answer === "not_comparable" || ratio === null) {
    return `${one} and ${other} cannot be compared: ${one} has ${reached[0]}; ${other} has ${reached[1]}.`;
  }
  const against = `(${reached[0]} against ${reached[1]})`;
  if (answer === "too_few_repeats") {
    return `${one} has ${figure(ratio)} times the rate of ${other} ${against}, in too few repeats to exclude noise.`;
  }
  if (answer === "within_noise") return `${one} is as fast as ${other} within noise ${against}.`;
  const [word, factor] = ratio >= 1 ? ["faster", ratio] : ["slower", 1 / ratio];
  return `${one} is ${figure(factor)} times ${word} than ${other} ${against}.`;
}

/** "545 MB/s disk to disk", or that there is no rate. */
function reachedWords(run: Run | undefined, unit: RateUnit): string {
  const { headline } = run?.result ?? {};
  if (!headline || headline.bytes_per_s === null || headline.leg === null) {
    return "no reliable rate";
  }
  return `${formatRate(headline.bytes_per_s, unit)} ${LEGS[headline.leg].title.toLowerCase()}`;
}

function limits({ a, b, a_limit, b_limit }: Outcome, nameOf: (run: number) => string): string[] {
  if (a_limit === null || b_limit === null) return [];
  const words = [a_limit, b_limit].map((limit) => limitWords(limit, []));
  if (words[0] === words[1]) return [`Both: ${words[0]}.`];
  return [`${nameOf(a)}: ${words[0]}; ${nameOf(b)}: ${words[1]}.`];
}

/** What each direction of full duplex reaches of the same transfer alone. */
export const oneWaySentences = (legs: Outcome["legs"], unit: RateUnit): string[] =>
  legs.flatMap((leg) =>
    (leg.one_way ?? []).map(
      ({ sources, sinks, bytes_per_s, one_way_bytes_per_s, ratio, answer }) => {
        const rates = `${formatRate(bytes_per_s, unit)} against ${formatRate(one_way_bytes_per_s, unit)}`;
        const noise = answer === "within_noise" ? ", a difference within noise" : "";
        return `${LEGS[leg.leg].title}, ${sources.join(" + ")} → ${sinks.join(" + ")}: with traffic in both directions ${figure(ratio)} times its rate one way (${rates})${noise}.`;
      },
    ),
  );
