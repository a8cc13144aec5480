import type { Campaign, Plan, Profile, Test } from "@/api/shapes";
import { groupsOf, kindsOf } from "@/features/kinds/registry";
import { draftOfPlan } from "@/features/launch/link";
import type { Draft } from "@/features/launch/plan";
import { parametersIn } from "@/features/parameters/parameters";

/**
 * The launch form of a request that launches a campaign, or one of its runs, again; null if the
 * campaign has tests that are not those of its profile. The request for a run has tests with all
 * values: the form has the profile's, with what the campaign's launch changed.
 */
export function editable(
  plan: Plan,
  campaign: Pick<Campaign, "parameters">,
  profile: Pick<Profile, "body">,
): Draft | null {
  const { tests } = profile.body;
  const given = (campaign.parameters.tests ?? []) as Test[];
  if (!given.every((one) => tests.some((test) => isSame(one, test)))) return null;
  const kinds = kindsOf(plan.tests ?? tests);
  const known = new Set(parametersIn(groupsOf(kinds)).map(({ name }) => name));
  const changed = (campaign.parameters.overrides ?? {}) as Record<string, unknown>;
  const overrides = plan.tests
    ? Object.fromEntries(Object.entries(changed).filter(([name]) => known.has(name)))
    : changed;
  return draftOfPlan({ ...plan, overrides: overrides as Plan["overrides"] }, kinds, tests);
}

/** Whether two tests have the same values; null stands for no value. */
function isSame(one: Test, other: Test): boolean {
  const values = (test: Test) =>
    JSON.stringify(
      Object.entries(test)
        .filter(([, value]) => value !== null)
        .sort(([a], [b]) => a.localeCompare(b)),
    );
  return values(one) === values(other);
}
