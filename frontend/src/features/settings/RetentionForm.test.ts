import { expect, test } from "vitest";
import { draftOf, rulesOf, sameRules } from "./RetentionForm";

const RULE = { older_than_days: 30, keep_labeled: false, keep_referenced: true };
const NONE = { raw_logs: null, samples: null, campaigns: null };

test("rules survive the form, and a rule that is off is none", () => {
  const rules = { ...NONE, samples: RULE };
  expect(rulesOf(draftOf(rules))).toEqual(rules);
  expect(rulesOf(draftOf(NONE))).toEqual(NONE);
  expect(draftOf(NONE).raw_logs).toMatchObject({ on: false, days: 90, keepLabeled: true });
});

test("an empty number of days is not taken for a rule of the default", () => {
  const draft = draftOf({ ...NONE, samples: RULE });
  draft.samples.days = "";
  expect(rulesOf(draft).samples?.older_than_days).toBe(0);
});

test("rules are the same if all of their fields are", () => {
  expect(sameRules({ ...NONE, samples: RULE }, { ...NONE, samples: { ...RULE } })).toBe(true);
  expect(sameRules({ ...NONE, samples: RULE }, { ...NONE, raw_logs: RULE })).toBe(false);
  expect(
    sameRules({ ...NONE, samples: RULE }, { ...NONE, samples: { ...RULE, older_than_days: 31 } }),
  ).toBe(false);
});
