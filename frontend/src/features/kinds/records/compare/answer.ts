import { figure } from "@/components/quantities";
import { formatRecordRate, lengthWords } from "@/features/kinds/records/headline";
import type { RecordsComparison } from "@/features/kinds/records/shapes";
import { limitWords } from "@/features/transfers/limits";

type Outcome = NonNullable<RecordsComparison["outcome"]>;

/** Which of the first two runs takes in more records, what limits each, and how they differ. */
export function answerSentences(
  outcome: Outcome | null,
  nameOf: (run: number) => string,
): string[] {
  if (outcome === null) return [];
  const [a, b] = [nameOf(outcome.a), nameOf(outcome.b)];
  return [faster(outcome, a, b), ...limits(outcome, a, b), ...differences(outcome)];
}

function faster({ cells, answer, ratio }: Outcome, a: string, b: string): string {
  const cell = cells.findLast((one) => one.answer !== "not_comparable");
  if (answer === "not_comparable" || ratio === null || !cell) {
    return `${a} and ${b} cannot be compared: they have no reliable rate with the same record length.`;
  }
  const rates = [cell.a_records_per_s, cell.b_records_per_s].map((rate) =>
    rate === null ? "no rate" : formatRecordRate(rate),
  );
  const against = `with ${lengthWords(cell.record_bytes)} (${rates.join(" against ")})`;
  if (answer === "too_few_repeats") {
    return `${a} takes in ${figure(ratio)} times the records of ${b} ${against}, in too few repeats to exclude noise.`;
  }
  if (answer === "within_noise") return `${a} is as fast as ${b} within noise ${against}.`;
  const [word, factor] = ratio >= 1 ? ["faster", ratio] : ["slower", 1 / ratio];
  return `${a} is ${figure(factor)} times ${word} than ${b} ${against}.`;
}

function limits({ a_limit, b_limit }: Outcome, a: string, b: string): string[] {
  if (a_limit === null || b_limit === null) return [];
  const [one, other] = [limitWords(a_limit, []), limitWords(b_limit, [])];
  return one === other ? [`Both: ${one}.`] : [`${a}: ${one}; ${b}: ${other}.`];
}

const CONDITIONS: Record<Outcome["differs"][number], string> = {
  senders: "the number of senders",
  sink: "the sink (file or memory)",
  format: "the format",
  rate_records_per_s: "the paced rate",
};

function differences({ differs }: Outcome): string[] {
  if (differs.length === 0) return [];
  const listed = new Intl.ListFormat("en", { type: "conjunction" }).format(
    differs.map((one) => CONDITIONS[one]),
  );
  return [`The runs differ in ${listed}.`];
}
