import { count, figure, formatRate, type RateUnit } from "@/components/quantities";
import { fasterSentence } from "@/features/compare/ratioWords";
import { trialWords } from "@/features/kinds/path/headline";
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

/** The small files per second of the legs that have some in both runs. */
export const filesSentences = (legs: Outcome["legs"]): string[] =>
  legs.flatMap((leg) => {
    const { a_files_per_s, b_files_per_s } = leg;
    if (a_files_per_s == null || b_files_per_s == null) return [];
    const [a, b] = [a_files_per_s, b_files_per_s].map((files) => count(Math.round(files)));
    return [`${trialWords(leg)}: ${a} against ${b} small files per second.`];
  });
