import { formatBlock, formatBytes } from "@/components/quantities";

const FORMATS: Record<string, (bytes: number) => string> = {
  read_ahead_bytes: formatBlock,
  alignment_bytes: formatBlock,
  array_cache_bytes: formatBytes,
  mem_total_bytes: formatBytes,
  mem_limit_bytes: formatBytes,
};

/** A condition that is a size, in the units of its kind; null for any other condition. */
export const conditionSize = (name: string, value: unknown): string | null =>
  typeof value === "number" ? (FORMATS[name]?.(value) ?? null) : null;
