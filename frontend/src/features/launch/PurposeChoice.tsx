import { Button } from "@mantine/core";
import type { Criterion, Profile } from "@/api/shapes";
import type { Draft } from "./plan";
import PURPOSES from "./purposes.json";
import classes from "./QuestionChoice.module.css";

type Purpose = (typeof PURPOSES)[number];

const PROPOSED = new Set(PURPOSES.flatMap(({ criteria }) => criteria));

interface PurposeChoiceProps {
  newest: readonly Profile[];
  profile: Profile | undefined;
  criteria: readonly Criterion[];
  onPropose: (changed: Pick<Draft, "question" | "profileId" | "tests" | "criteria">) => void;
}

/** The way from storage to a verdict on it: a purpose proposes a profile and criteria. */
export function PurposeChoice({ newest, profile, criteria, onPropose }: PurposeChoiceProps) {
  const offered = PURPOSES.flatMap((purpose) => {
    const found = newest.find(({ slug }) => slug === purpose.profile);
    return found ? [{ ...purpose, profileId: found.id }] : [];
  });
  if (offered.length === 0) return null;
  return (
    <fieldset className={classes.purposes}>
      <legend>Or is the storage good enough for a purpose?</legend>
      {offered.map(({ profileId, ...purpose }) => (
        <Button
          key={purpose.label}
          size="xs"
          variant="default"
          aria-pressed={isProposed(purpose, profile, criteria)}
          onClick={() =>
            onPropose({
              question: null,
              profileId,
              tests: [],
              criteria: withCriteriaOf(purpose, criteria),
            })
          }
        >
          {purpose.label}
        </Button>
      ))}
      <p className={classes.answer}>
        Each proposes a profile and acceptance criteria. Change the limits to what you need.
      </p>
    </fieldset>
  );
}

/** The criteria of a purpose, then those that no purpose has proposed. */
export const withCriteriaOf = (purpose: Purpose, criteria: readonly Criterion[]): Criterion[] => [
  ...purpose.criteria.map((criterion) => ({ criterion, stop: false })),
  ...criteria.filter(({ criterion }) => criterion.trim() && !PROPOSED.has(criterion)),
];

const isProposed = (
  purpose: Purpose,
  profile: Profile | undefined,
  criteria: readonly Criterion[],
): boolean =>
  profile?.slug === purpose.profile &&
  purpose.criteria.every((wanted) => criteria.some(({ criterion }) => criterion === wanted));
