/** Parse the input of a path test's fields; each error is one sentence. */
import { type Parsed, parseSize } from "@/features/parameters/parse";
import { parseRate } from "@/features/parameters/rates";
import type { Leg } from "./shapes";
import { EVERY_LEG, LEGS } from "./words";

/** What a field contains that leaves the choice to the kernel or the probe. */
export const AUTOMATIC = "auto";

const isAutomatic = (text: string): boolean => /^(auto|0)$/i.test(text.trim());

/** A list of legs: "read, memory, write, disk". */
export function parseLegs(text: string): Parsed<Leg[]> {
  const entries = text
    .split(/[,;]/)
    .map((entry) => entry.trim().toLowerCase())
    .filter(Boolean);
  if (entries.length === 0) return { error: "Enter at least one leg, such as disk." };
  const legs: Leg[] = [];
  for (const entry of entries) {
    const leg = EVERY_LEG.find((one) => one === entry || LEGS[one].name === entry);
    if (!leg) return { error: `${entry} is not one of ${legsText(EVERY_LEG)}.` };
    if (legs.includes(leg)) return { error: `${entry} appears more than once.` };
    legs.push(leg);
  }
  return { value: legs };
}

/** Legs as text that `parseLegs` reads back. */
export const legsText = (legs: readonly Leg[]): string =>
  legs.map((leg) => LEGS[leg].name).join(", ");

/** What each leg moves from where to where; null where the text is no list of legs. */
export function understoodLegs(text: string): string | null {
  const parsed = parseLegs(text);
  if ("error" in parsed) return null;
  return parsed.value.map((leg) => `${LEGS[leg].title}: ${LEGS[leg].what}`).join("; ");
}

/** A size, or "auto" for 0. */
export const parseAutoSize = (text: string, least: number): Parsed<number> =>
  isAutomatic(text) ? { value: 0 } : parseSize(text, least);

/** A rate, or "auto" for 0. */
export const parseAutoRate = (text: string): Parsed<number> =>
  isAutomatic(text) ? { value: 0 } : parseRate(text);

/** A word or an address, or "auto" for null. */
export function parseAutoWord(text: string, pattern: RegExp, error: string): Parsed<string | null> {
  if (isAutomatic(text)) return { value: null };
  return pattern.test(text.trim()) ? { value: text.trim() } : { error };
}
