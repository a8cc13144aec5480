import type { RetentionRules } from "@/api/shapes";

export type RuleName = keyof RetentionRules;

/** A rule as the form has it; one that is off keeps its values until the form is closed. */
export type RuleDraft = {
  on: boolean;
  days: number | string;
  keepLabeled: boolean;
  keepReferenced: boolean;
};

export type Draft = Record<RuleName, RuleDraft>;

export const RULES: readonly { name: RuleName; label: string; what: string; days: number }[] = [
  {
    name: "raw_logs",
    label: "Remove raw event logs",
    what: "Results and charts stay. Runs can no longer be rebuilt by newer rules.",
    days: 90,
  },
  {
    name: "samples",
    label: "Remove samples",
    what: "Results stay. Charts over time become empty.",
    days: 365,
  },
  {
    name: "campaigns",
    label: "Delete campaigns",
    what: "With all runs and results.",
    days: 1095,
  },
];

/** The form's values for the stored rules. */
export const draftOf = (rules: RetentionRules): Draft =>
  Object.fromEntries(
    RULES.map(({ name, days }) => {
      const rule = rules[name];
      return [
        name,
        {
          on: Boolean(rule),
          days: rule?.older_than_days ?? days,
          keepLabeled: rule?.keep_labeled ?? true,
          keepReferenced: rule?.keep_referenced ?? true,
        },
      ];
    }),
  ) as Draft;

/** The rules that the form has; a number of days that is none is for the server to refuse. */
export const rulesOf = (draft: Draft): RetentionRules =>
  Object.fromEntries(
    RULES.map(({ name }) => {
      const { on, days, keepLabeled, keepReferenced } = draft[name];
      return [
        name,
        on
          ? {
              older_than_days: days === "" ? 0 : Number(days),
              keep_labeled: keepLabeled,
              keep_referenced: keepReferenced,
            }
          : null,
      ];
    }),
  ) as RetentionRules;

/** Whether two sets of rules are the same. */
export const sameRules = (one: RetentionRules, other: RetentionRules): boolean =>
  JSON.stringify(rulesOf(draftOf(one))) === JSON.stringify(rulesOf(draftOf(other)));
