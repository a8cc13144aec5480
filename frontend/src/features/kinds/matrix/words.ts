import { formatBlock, formatRate, levelsWords, type RateUnit } from "@/components/quantities";
import type { CellKey } from "./reading";
import type { CellLevels, Operation } from "./shapes";

const COUNTS = "no one two three four five six seven eight nine ten eleven twelve".split(" ");

/** "one writer", "two writers", "16 writers" */
export const counted = (number: number, noun: string): string =>
  `${COUNTS[number] ?? number} ${noun}${number === 1 ? "" : "s"}`;

/** What a thread does. */
export const personOf = ({ operation }: { operation: Operation }): string =>
  operation === "write" ? "writer" : "reader";

/** "two writers with 256 KiB blocks" */
export const settingName = ({ block, threads }: CellKey, person: string): string =>
  `${counted(threads, person)} with ${formatBlock(block)} blocks`;

/**
 * "1.39 GB/s durable", or for a cell with a cliff "350 MB/s for 12.3 s (4.31 GB), then 41.0 MB/s durable (in 1
 * of 2 repeats)"; `rate`: " durable" or nothing.
 */
export function reachedWords(
  { bytes_per_s, levels }: { bytes_per_s: number | null; levels: CellLevels | null },
  unit: RateUnit,
  rate = "",
): string {
  if (levels === null) return `${formatRate(bytes_per_s ?? 0, unit)}${rate}`;
  const { flagged_trials, trials } = levels;
  const some = flagged_trials === trials ? "" : ` (in ${flagged_trials} of ${trials} repeats)`;
  return `${levelsWords(levels.held, unit)}${rate}${some}`;
}
