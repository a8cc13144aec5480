/** What a comparison of two rates found, in words. */
import { figure } from "@/components/quantities";

export const DIFFERENCES = {
  a_faster: "beyond noise",
  b_faster: "beyond noise",
  within_noise: "within noise",
  too_few_repeats: "too few repeats",
  not_comparable: "not comparable",
} as const;

export type Difference = keyof typeof DIFFERENCES;

/** "42 % faster than", "2.10 times as fast as", "30 % slower than" */
export function fasterWords(ratio: number): string {
  if (ratio >= 2) return `${figure(ratio)} times as fast as`;
  const percent = Math.abs(ratio - 1) * 100;
  const amount =
    percent < 0.5 ? "under 1" : percent > 99.5 ? "over 99" : String(Math.round(percent));
  return `${amount}\u00a0% ${ratio > 1 ? "faster" : "slower"} than`;
}

/**
 * How much faster A is than B, or why that is not known; `details` follow the names, such as
 * "(545 MB/s against 325 MB/s)". The ratio is A ÷ B.
 */
export function fasterSentence(
  answer: Exclude<Difference, "not_comparable">,
  ratio: number,
  [a, b]: readonly [string, string],
  details: string,
): string {
  if (answer === "too_few_repeats") {
    return `${a} has ${figure(ratio)} times the rate of ${b} ${details}, in too few repeats to exclude noise.`;
  }
  if (answer === "within_noise") return `${a} is as fast as ${b} within noise ${details}.`;
  return `${a} is ${fasterWords(ratio)} ${b} ${details}.`;
}
