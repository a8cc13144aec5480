import { upperFirst } from "@mantine/hooks";
import { formatBlock, formatBytes, formatRate, type RateUnit } from "@/components/quantities";
import type { MatrixHeadline } from "./shapes";
import { counted, personOf, reachedWords } from "./words";

type Figure = NonNullable<MatrixHeadline["figure"]>;

const NO_RESULT: Partial<Record<NonNullable<MatrixHeadline["no_result"]>["code"], string>> = {
  suspended: "the probe was suspended",
  starved: "the probe did not get enough CPU time",
  contended: "the storage was busy with other I/O",
  too_short: "too short to tell",
  short_overlap: "the participants hardly worked at the same time",
};

const DOUBTS: Partial<Record<NonNullable<Figure["served_by"]>, string>> = {
  page_cache: "Served by the page cache",
  array_cache: "Possibly served by the array's cache",
};

/** The text before and after a headline's figure; null if it has no single figure. */
export function headlineParts(
  headline: MatrixHeadline,
  unit: RateUnit,
): { doubt: string | null; bytesPerS: number; rest: string } | null {
  const { figure } = headline;
  if (figure === null || figure.bytes_per_s === null) return null;
  const rate = figure.rate === "durable" ? "durable " : "";
  const rest = `${rate}${settingWords(headline, figure, unit)}`;
  return { doubt: doubtOf(figure), bytesPerS: figure.bytes_per_s, rest };
}

/** The headline without its figure, as a sentence of its own, for where that stands large beside it. */
export function withoutFigure(headline: MatrixHeadline, unit: RateUnit): string {
  const parts = headlineParts(headline, unit);
  if (parts === null) return headlineWords(headline, unit);
  return upperFirst(parts.doubt === null ? parts.rest : `${parts.doubt}: ${parts.rest}`);
}

/** The headline as one sentence, or why there is no result. */
export function headlineWords(headline: MatrixHeadline, unit: RateUnit): string {
  const { figure, no_result } = headline;
  if (figure === null) {
    const where = no_result?.fastest_cells ? " in the fastest cells" : "";
    const sentence = `No result: ${(no_result && NO_RESULT[no_result.code]) ?? "nothing was measured"}${where}.`;
    const size = no_result?.sufficient_file_size_bytes;
    if (size) return `${sentence} Files of ${formatBytes(size)} would suffice.`;
    return no_result?.raise_time_limit ? `${sentence} Raise the time limit.` : sentence;
  }
  const rate = figure.rate === "durable" ? " durable" : "";
  const sentence = `${reachedWords(figure, unit, rate)} ${settingWords(headline, figure, unit)}`;
  const doubt = doubtOf(figure);
  return doubt === null ? sentence : `${doubt}: ${sentence}`;
}

const doubtOf = ({ served_by }: Figure): string | null => (served_by && DOUBTS[served_by]) ?? null;

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
