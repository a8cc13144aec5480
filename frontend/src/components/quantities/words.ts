import type { components } from "@/api/schema";
import type { Levels } from "@/api/shapes";
import {
  count,
  figure,
  formatBlock,
  formatBytes,
  formatDuration,
  formatLatency,
  formatRate,
  formatRecordRate,
  formatShare,
  joined,
  type Quantity,
  type RateUnit,
  splitIops,
  splitRate,
  splitRecordRate,
} from "./formats";

type Part = components["schemas"]["Quantity"];
type Dimension = keyof Part;

/** A sentence of the server: texts, and quantities in the reader's unit. */
export type Words = readonly (string | Part)[];

interface Reader {
  unit: RateUnit;
  /** What the page calls a run. */
  runName: (id: number) => string;
}

const FORMATS: Record<Dimension, (value: number, reader: Reader) => string> = {
  bytes_per_s: (value, { unit }) => joined(splitRate(value, unit)),
  tb_per_hour: (value, { unit }) => (unit === "TB/h" ? "" : ` (${figure(value)}\u00a0TB/h)`),
  bytes: formatBytes,
  block_bytes: formatBlock,
  latency_ns: formatLatency,
  duration_ns: (value) => formatDuration(value / 1e9),
  iops: (value) => joined(splitIops(value)),
  records_per_s: formatRecordRate,
  share: formatShare,
  count,
  figure,
  run_id: (value, { runName }) => runName(value),
};

/** The dimension and the value of a quantity, which has exactly one. */
function only(part: Part): [Dimension, number] {
  const [found] = Object.entries(part) as [Dimension, number][];
  if (!found) throw new Error("A quantity of the server has no dimension.");
  return found;
}

/** Words as text. */
export const wordsText = (
  words: Words,
  unit: RateUnit,
  runName: Reader["runName"] = (id) => `run ${id}`,
): string =>
  words
    .map((part) => {
      if (typeof part === "string") return part;
      const [dimension, value] = only(part);
      return FORMATS[dimension](value, { unit, runName });
    })
    .join("");

/** A quantity apart from its unit, to print it large. */
export function splitPart(part: Part, unit: RateUnit): Quantity {
  const [dimension, value] = only(part);
  if (dimension === "bytes_per_s") return splitRate(value, unit);
  return dimension === "iops" ? splitIops(value) : splitRecordRate(value);
}

/** "350 MB/s for 12 s (4.31 GB), then 41.0 MB/s" */
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
