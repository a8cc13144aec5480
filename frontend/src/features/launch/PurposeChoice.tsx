import { Button } from "@mantine/core";
import type { Profile } from "@/api/shapes";
import { PURPOSES } from "./purposes";
import classes from "./QuestionChoice.module.css";

interface PurposeChoiceProps {
  newest: readonly Profile[];
  purpose: string | null;
  /** Called with the purpose and its profile; without them to take the purpose back. */
  onPropose: (purpose: string | null, profileId: number | null) => void;
}

/** The way from storage to a verdict on it: a purpose proposes a profile and criteria. */
export function PurposeChoice({ newest, purpose, onPropose }: PurposeChoiceProps) {
  const offered = PURPOSES.flatMap(({ name, label, profile }) => {
    const found = newest.find(({ slug }) => slug === profile);
    return found ? [{ name, label, profileId: found.id }] : [];
  });
  if (offered.length === 0) return null;
  return (
    <fieldset className={classes.purposes}>
      <legend>Or is the storage good enough for a purpose?</legend>
      {offered.map(({ name, label, profileId }) => {
        const isChosen = name === purpose;
        return (
          <Button
            key={name}
            size="xs"
            variant="default"
            aria-pressed={isChosen}
            onClick={() => (isChosen ? onPropose(null, null) : onPropose(name, profileId))}
          >
            {label}
          </Button>
        );
      })}
      <p className={classes.answer}>
        Each proposes a profile and acceptance criteria. Change the limits to what you need.
      </p>
    </fieldset>
  );
}
