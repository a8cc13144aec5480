import { fasterSentence } from "@/features/compare/ratioWords";
import { formatRecordRate, lengthWords, recordRateWords } from "@/features/kinds/records/headline";
import type { RecordsComparison } from "@/features/kinds/records/shapes";
import { limitSentences } from "@/features/transfers/limits";

type Outcome = NonNullable<RecordsComparison["outcome"]>;

/** Which of the first two runs takes in more records, what limits each, and how they differ. */
export function answerSentences(
  outcome: Outcome | null,
  nameOf: (run: number) => string,
): string[] {
  if (outcome === null) return [];
  const names = [nameOf(outcome.a), nameOf(outcome.b)] as const;
  return [
    faster(outcome, names),
    ...limitSentences([outcome.a_limit, outcome.b_limit], names),
    ...differences(outcome),
  ];
}

function faster({ cells, answer, ratio }: Outcome, names: readonly [string, string]): string {
  const cell = cells.findLast((one) => one.answer !== "not_comparable");
  const fell = cells.findLast((one) => one.a_levels?.length || one.b_levels?.length);
  if (fell && answer === "not_comparable") {
    const length = fell.record_bytes;
    const [a, b] = [
      recordRateWords(fell.a_records_per_s, fell.a_levels, length),
      recordRateWords(fell.b_records_per_s, fell.b_levels, length),
    ];
    return `The rate changed for good: with ${lengthWords(length)}, ${names[0]} reached ${a}; ${names[1]} ${b}.`;
  }
  if (answer === "not_comparable" || ratio === null || !cell) {
    return `${names[0]} and ${names[1]} cannot be compared: they have no reliable rate with the same record length.`;
  }
  const rates = [cell.a_records_per_s, cell.b_records_per_s].map((rate) =>
    rate === null ? "no rate" : formatRecordRate(rate),
  );
  const details = `with ${lengthWords(cell.record_bytes)} (${rates.join(" against ")})`;
  return fasterSentence(answer, ratio, names, details);
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
