import type { Levels } from "@/api/shapes";
import { formatDuration } from "./duration";
import { formatRate, type RateUnit } from "./rate";

/** "350 MB/s for 12.3 s, then 41.0 MB/s" */
export function levelsWords(levels: Levels, unit: RateUnit): string {
  return levels
    .map(({ bytes_per_s, duration_ns }, index) => {
      const rate = formatRate(bytes_per_s, unit);
      return index < levels.length - 1 ? `${rate} for ${formatDuration(duration_ns / 1e9)}` : rate;
    })
    .join(", then ");
}

/** "350 MB/s → 41.0 MB/s", for narrow places. */
export const shortLevels = (levels: Levels, unit: RateUnit): string =>
  levels.map(({ bytes_per_s }) => formatRate(bytes_per_s, unit)).join(" → ");
