import type { Levels } from "@/api/shapes";
import { formatBytes } from "./bytes";
import { formatDuration } from "./duration";
import { formatRate, type RateUnit } from "./rate";

/** "350 MB/s for 12.3 s (4.31 GB), then 41.0 MB/s" */
export function levelsWords(levels: Levels, unit: RateUnit): string {
  return levels
    .map(({ bytes_per_s, duration_ns, bytes }, index) => {
      const rate = formatRate(bytes_per_s, unit);
      if (index === levels.length - 1) return rate;
      return `${rate} for ${formatDuration(duration_ns / 1e9)} (${formatBytes(bytes)})`;
    })
    .join(", then ");
}

/** A mean rate, or the levels that replace it; "–" without either. */
export const rateOrLevels = (
  mean: number | null | undefined,
  levels: Levels | null | undefined,
  unit: RateUnit,
): string => {
  if (levels?.length) return shortLevels(levels, unit);
  return mean == null ? "–" : formatRate(mean, unit);
};

/** "350 MB/s → 41.0 MB/s", for narrow places. */
export const shortLevels = (levels: Levels, unit: RateUnit): string =>
  levels.map(({ bytes_per_s }) => formatRate(bytes_per_s, unit)).join(" → ");
