/** The cliffs of compared trials, as marks of their common chart. */
import type { Mark } from "@/charts/strips";
import type { RateUnit } from "@/components/quantities";
import { letterOf } from "@/features/compare/letters";
import { cliffWords } from "@/features/kinds/sustained/headline";
import type { Extent } from "@/features/kinds/sustained/result/strips";
import type { CliffLevels } from "@/features/kinds/sustained/shapes";

export const cliffMarks = (
  cliffs: readonly { index: number; cliff: CliffLevels }[],
  { over, axis }: Extent,
  unit: RateUnit,
): Mark[] =>
  cliffs.map(({ index, cliff }) => ({
    at: (over === "time" ? cliff.at_ns : cliff.at_bytes) / axis.size,
    label: `${letterOf(index)}: cliff`,
    sentence: `${letterOf(index)}: cliff: ${cliffWords(cliff, unit)}`,
  }));
