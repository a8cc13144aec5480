import { formatBlock, formatBytes, formatRate, type RateUnit } from "@/components/quantities";
import {
  doubtWords,
  type HeadlineParts,
  noResultWords,
  restSentence,
} from "@/features/kinds/headline";
import type { MatrixHeadline } from "./shapes";
import { counted, personOf, reachedWords } from "./words";

type Figure = NonNullable<MatrixHeadline["figure"]>;

/** The text before and after a headline's figure; null if it has no single figure. */
export function headlineParts(headline: MatrixHeadline, unit: RateUnit): HeadlineParts | null {
  const { figure } = headline;
  if (figure === null || figure.bytes_per_s === null) return null;
  const rate = figure.rate === "durable" ? "durable " : "";
  const rest = `${rate}${settingWords(headline, figure, unit)}`;
  return { doubt: doubtWords(figure.served_by), bytesPerS: figure.bytes_per_s, rest };
}

/** The headline without its figure, as a sentence of its own. */
export function withoutFigure(headline: MatrixHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline, unit);
  return parts === null ? headlineWords(headline, unit) : restSentence(parts);
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: MatrixHeadline, unit: RateUnit): string {
  const { figure, no_result } = headline;
  if (figure === null) {
    const where = no_result?.fastest_cells ? " in the fastest cells" : "";
    const sentence = `No result: ${noResultWords(no_result?.code ?? null)}${where}.`;
    const size = no_result?.sufficient_file_size_bytes;
    if (size) return `${sentence} Files of ${formatBytes(size)} would suffice.`;
    return no_result?.raise_time_limit ? `${sentence} Raise the time limit.` : sentence;
  }
  const rate = figure.rate === "durable" ? " durable" : "";
  const sentence = `${reachedWords(figure, unit, rate)} ${settingWords(headline, figure, unit)}`;
  const doubt = doubtWords(figure.served_by);
  return doubt === null ? sentence : `${doubt}: ${sentence}`;
}

/** "with one writer and 256 KiB blocks; more threads don't help" */
function settingWords(headline: MatrixHeadline, figure: Figure, unit: RateUnit): string {
  const person = personOf(headline);
  const several = headline.participants > 1;
  const each = several ? ` on each of ${counted(headline.participants, "target")} together` : "";
  const setting = `with ${counted(figure.threads, person)} and ${formatBlock(figure.block)} blocks${each}`;
  const unknown = figure.served_by === "unknown" ? " (served by: unknown)" : "";
  return `${setting}${moreWords(figure, person, unit)}${unknown}`;
}

/** How many cells were faster in one repeat, or the effect of fewer or more threads. */
function moreWords(figure: Figure, person: string, unit: RateUnit): string {
  const { left_out_faster: faster, threads_effect: effect } = figure;
  if (faster > 0) {
    const verb = faster === 1 ? "was" : "were";
    return `; ${counted(faster, "cell")} with a single reliable repeat ${verb} faster`;
  }
  if (effect === null) return "";
  const people = counted(effect.threads, person);
  const verb = effect.threads === 1 ? "reaches" : "reach";
  switch (effect.code) {
    case "fewer_slower": {
      const average = effect.mean_over_cliff ? " on average" : "";
      return `; ${people} ${verb} only ${formatRate(effect.bytes_per_s, unit)}${average}`;
    }
    case "fewer_equal":
      return `; ${people} ${verb} as much within noise`;
    case "more_slower":
      return "; more threads are slower";
    case "more_equal":
      return "; more threads don't help";
  }
}
