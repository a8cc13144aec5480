/** Parse the input of a path test's fields; each error is one sentence. */
import type { ValueFormat } from "@/features/parameters/formats";
import type { Parsed } from "@/features/parameters/parse";
import type { Leg } from "./shapes";
import { EVERY_LEG, LEGS } from "./words";

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

/** Legs in the field of a form. */
export const LEGS_FORMAT: ValueFormat = {
  text: (legs) => legsText((legs ?? []) as Leg[]),
  parse: parseLegs,
  understood: understoodLegs,
};
