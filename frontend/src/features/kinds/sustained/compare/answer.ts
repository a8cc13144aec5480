import { formatRate, levelsWords, type RateUnit } from "@/components/quantities";
import { fasterSentence } from "@/features/compare/ratioWords";
import { cellWords } from "@/features/kinds/sustained/headline";
import { modeWords } from "@/features/kinds/sustained/modes";
import { sweepsDepth } from "@/features/kinds/sustained/result/sweep";
import type { Sustained, SustainedComparison } from "@/features/kinds/sustained/shapes";
import { directionName } from "@/features/kinds/sustained/words";

type Outcome = NonNullable<SustainedComparison["outcome"]>;
type Side = Outcome["runs"][number];

/**
 * A sentence about each direction of each run but the first: how much faster or slower it is than
 * the same direction of the first, which may lack it.
 */
export function answerSentences(
  outcome: Outcome,
  nameOf: (run: number) => string,
  unit: RateUnit,
): string[] {
  const [first] = outcome.runs;
  if (!first) return [];
  const ofFirst = outcome.runs.filter(({ run_id }) => run_id === first.run_id);
  const others = outcome.runs.filter(({ run_id }) => run_id !== first.run_id);
  const both = others.some(({ run_id }, at) => others.findIndex((o) => o.run_id === run_id) !== at);
  const named = ofFirst.length > 1 || both;
  return others.map((side) => {
    const base = ofFirst.find(({ operation }) => operation === side.operation);
    const words = sentence(side, base ?? first, nameOf, unit);
    return named && base ? `${directionName(side.operation)}: ${words}` : words;
  });
}

function sentence(run: Side, first: Side, nameOf: (run: number) => string, unit: RateUnit): string {
  const names = [nameOf(run.run_id), nameOf(first.run_id)] as const;
  if (doesWords(run) !== doesWords(first)) {
    return `${names[0]} and ${names[1]} cannot be compared: ${names[0]} ${doesWords(run)} (${reachedWords(run, unit)}), and ${names[1]} ${doesWords(first)} (${reachedWords(first, unit)}).`;
  }
  const cached = [run, first].map((side) => side.served_by === "page_cache");
  if (run.ratio === null && cached[0] !== cached[1]) {
    const whose = cached[0] ? names : ([names[1], names[0]] as const);
    return `${names[0]} and ${names[1]} cannot be compared: the page cache served ${whose[0]} (${reachedWords(cached[0] ? run : first, unit)}), but not ${whose[1]} (${reachedWords(cached[0] ? first : run, unit)}).`;
  }
  if (run.ratio === null && (run.levels ?? first.levels)) {
    return `The rate changed for good: ${names[0]} reached ${courseWords(run, unit)}; ${names[1]} ${courseWords(first, unit)}.`;
  }
  const [offered, other] = [run.offered_bytes_per_s, first.offered_bytes_per_s];
  if (run.ratio === null && offered !== null && other !== null && offered !== other) {
    return `${names[0]} and ${names[1]} cannot be compared: they were paced at ${formatRate(offered, unit)} and ${formatRate(other, unit)}.`;
  }
  if (run.ratio === null) {
    return `${names[0]} and ${names[1]} cannot be compared: one has no reliable repeat.`;
  }
  const reached = `(${reachedWords(run, unit)} against ${reachedWords(first, unit)})`;
  return fasterSentence(answerOf(run), run.ratio, names, reached);
}

function answerOf({ too_few_repeats, significant }: Side) {
  if (too_few_repeats) return "too_few_repeats";
  return significant ? "a_faster" : "within_noise";
}

/** The cell of a sweep that stands for a direction of its run; null if the run has only one cell. */
export function cellText({ cells }: Sustained, { cell, operation }: Side): string | null {
  const own = cells.filter((one) => one.operation === operation);
  const found = own.find(({ key }) => key === cell);
  return own.length > 1 && found ? cellWords(found, sweepsDepth({ cells: own })) : null;
}

/** "writes", "reads at random", "reads (70 %) and writes at random" */
function doesWords({ operation, access, read_percent }: Side): string {
  if (operation === "mixed") return `reads (${read_percent}\u00a0%) and writes at random`;
  return access === "random" ? `${operation}s at random` : `${operation}s`;
}

/**
 * "an application rate of 346 MB/s for 8.68 s (3.01 GB), then 60.7 MB/s, and 41.2 MB/s durable over
 * all", "41.6 MB/s durable"
 */
function courseWords(side: Side, unit: RateUnit): string {
  const { levels, bytes_per_s: rate, operation } = side;
  const kind = operation === "read" ? "" : ` ${side.rate}`;
  const named = (words: string) => [words, modeWords(side.mode)].filter(Boolean).join(", ");
  if (!levels)
    return rate === null ? "no reliable rate" : named(`${formatRate(rate, unit)}${kind}`);
  if (levels.durable || rate === null || side.rate !== "durable") {
    return named(levelsWords(levels.held, unit));
  }
  return named(
    `an application rate of ${levelsWords(levels.held, unit)}, and ${formatRate(rate, unit)} durable over all`,
  );
}

/** A rate, or its levels, with the mode of the cell if its run compares several. */
function reachedWords({ bytes_per_s, levels, mode }: Side, unit: RateUnit): string {
  if (!levels && bytes_per_s === null) return "no reliable rate";
  const reached = levels ? levelsWords(levels.held, unit) : formatRate(bytes_per_s ?? 0, unit);
  return [reached, modeWords(mode)].filter(Boolean).join(", ");
}
