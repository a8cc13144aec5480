/** What storage may be accepted for: each purpose proposes a profile and criteria. */
import type { Criterion } from "@/api/shapes";
import type { Draft } from "./plan";
import PURPOSES from "./purposes.json";

export { PURPOSES };

export type Purpose = (typeof PURPOSES)[number];

export const purposeOf = (name: string | null): Purpose | undefined =>
  PURPOSES.find((one) => one.name === name);

const metricOf = (criterion: string): string | undefined => /^[\w.]+/.exec(criterion.trim())?.[0];

/** The criteria without those of a purpose, also where their limits were changed. */
function without(purpose: Purpose | undefined, criteria: readonly Criterion[]): Criterion[] {
  const proposed = new Set(purpose?.criteria.map(metricOf));
  return criteria.filter(({ criterion }) => !proposed.has(metricOf(criterion)));
}

type Purposed = Pick<Draft, "purpose" | "criteria">;

/** The form's purpose and criteria after another purpose, or none, replaced its own. */
export function purposed(draft: Purposed, name: string | null): Purposed {
  const purpose = purposeOf(name);
  const own = without(purpose, without(purposeOf(draft.purpose), draft.criteria));
  const proposed = purpose?.criteria.map((criterion) => ({ criterion, stop: false })) ?? [];
  return {
    purpose: purpose ? name : null,
    criteria: [...proposed, ...own.filter(({ criterion }) => criterion.trim())],
  };
}
