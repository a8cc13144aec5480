/** The trials of a result. */
import { formatShare } from "@/components/quantities";

/** The trials that have begun. */
export const begunOf = <Trial extends { status: string }>({
  trials,
}: {
  trials: readonly Trial[];
}): Trial[] => trials.filter(({ status }) => status !== "waiting");

/** The trial whose rate is nearest to the mean; one without a rate comes last. */
export function nearestToMean<Trial>(
  trials: readonly Trial[],
  mean: number,
  rateOf: (trial: Trial) => number | null,
): Trial | undefined {
  const away = (trial: Trial) => {
    const rate = rateOf(trial);
    return rate === null ? Number.POSITIVE_INFINITY : Math.abs(rate - mean);
  };
  return [...trials].sort((one, other) => away(one) - away(other))[0];
}

/** A code as words: "short overlap". */
export const codeWords = (code: string): string => code.replaceAll("_", " ");

/** A trial's status, notes that apply, and its flags: "complete; sync timed out; contended". */
export function statusWords(
  { status, flags }: { status: string; flags: readonly { code: string }[] },
  ...notes: (string | false | null)[]
): string {
  const words = [status, ...notes, ...flags.map(({ code }) => code)];
  return [...new Set(words.filter((one) => typeof one === "string").map(codeWords))].join("; ");
}

/** The repeats of a cell and how much their rate varies: "3, CV 1.20 %", "1 of 3". */
export function repeatsWords(
  { repeats_done: done, repeats_total: total }: { repeats_done: number; repeats_total: number },
  rate: { cv: number | null } | null,
): string {
  if (done < total) return `${done} of ${total}`;
  return rate?.cv == null ? String(done) : `${done}, CV ${formatShare(rate.cv)}`;
}
