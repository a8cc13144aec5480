import { joined, type Quantity, type Scale, scaled } from "./figure";

const DECIMAL: Scale = [
  { unit: "B", size: 1 },
  { unit: "kB", size: 1e3 },
  { unit: "MB", size: 1e6 },
  { unit: "GB", size: 1e9 },
  { unit: "TB", size: 1e12 },
  { unit: "PB", size: 1e15 },
];

const BINARY = ["B", "KiB", "MiB", "GiB"];

/** Sizes of files, disks and memory are decimal: 5e8 → 500, "MB". */
export const splitBytes = (bytes: number): Quantity => scaled(bytes, DECIMAL);

/** "500 MB" */
export const formatBytes = (bytes: number): string => joined(splitBytes(bytes));

/**
 * Blocks are exact, and binary where they can be: 262144 → "256 KiB", 1536 → "1.5 KiB", 800000 →
 * "800 kB", 513 → "513 B".
 */
export function formatBlock(bytes: number): string {
  const isDecimal = bytes > 0 && bytes % 1000 === 0 && bytes % 512 !== 0;
  if (isDecimal) return joined({ value: String(bytes / 1000), unit: "kB" });
  let size = bytes;
  let step = 0;
  while (size >= 1024 && step < BINARY.length - 1 && Number.isInteger((size / 1024) * 2)) {
    size /= 1024;
    step += 1;
  }
  return joined({ value: String(size), unit: BINARY[step] ?? "B" });
}

const FACTORS: Record<string, number> = {
  "": 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  k: 2 ** 10,
  m: 2 ** 20,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Parses "256 KiB", "64k", "4096" or "20 MB" as bytes; null if it is invalid or not an integer. */
export function parseBytes(text: string): number | null {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text);
  if (!match) return null;
  const factor = FACTORS[(match[2] ?? "").toLowerCase()];
  if (factor === undefined) return null;
  const bytes = Number(match[1]) * factor;
  return Number.isSafeInteger(bytes) ? bytes : null;
}
