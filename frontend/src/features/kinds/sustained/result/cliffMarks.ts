/** The cliffs of several trials, as marks of their common chart. */
import type { Mark } from "@/charts/strips";
import type { RateUnit } from "@/components/quantities";
import { cliffWords } from "@/features/kinds/sustained/headline";
import type { CliffLevels } from "@/features/kinds/sustained/shapes";
import type { Extent } from "./strips";

export const cliffMarks = (
  trials: readonly { name: string; cliff: CliffLevels | null }[],
  { over, axis }: Extent,
  unit: RateUnit,
): Mark[] =>
  trials.flatMap(({ name, cliff }) =>
    cliff
      ? {
          at: (over === "time" ? cliff.at_ns : cliff.at_bytes) / axis.size,
          label: `${name}: cliff`,
          sentence: `${name}: cliff: ${cliffWords(cliff, unit)}`,
        }
      : [],
  );
