import type { Levels } from "@/api/shapes";
import type { Mark } from "@/charts/figure";
import { levelsWords, type RateUnit, shortLevels } from "@/components/quantities";

/**
 * Each change from one lasting level to the next as a mark of a chart; `placeOf` is where a level
 * begins on its axis, `name` whose levels they are. The first one's sentence has all levels.
 */
export const stepMarks = (
  levels: Levels,
  placeOf: (level: Levels[number]) => number,
  unit: RateUnit,
  name = "",
): Mark[] => {
  const whose = name ? `${name}: ` : "";
  return levels.slice(1).map((level, index) => {
    const change = shortLevels(levels.slice(index, index + 2), unit);
    const said =
      index === 0
        ? `The rate changed for good: ${levelsWords(levels, unit)}`
        : `The rate changed again: ${change}`;
    return { at: placeOf(level), label: whose + change, sentence: whose + said };
  });
};
