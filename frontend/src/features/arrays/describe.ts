import type { StorageArray } from "@/api/shapes";
import { formatBytes } from "@/components/quantities";

/** "vault, cache 64.0 GB": the cache size determines which results the array may have served. */
export function arrayOf({ name, cache_bytes }: Pick<StorageArray, "name" | "cache_bytes">): string {
  return `${name}, ${cache_bytes ? `cache ${formatBytes(cache_bytes)}` : "cache not declared"}`;
}
