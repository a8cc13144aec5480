import { Checkbox } from "@mantine/core";
import type { Test } from "@/api/shapes";
import { kindOf } from "@/features/kinds/registry";
import { chosenTests } from "./plan";
import classes from "./TargetChoice.module.css";

interface TestChoiceProps {
  tests: readonly Test[];
  /** The numbers of the tests that run, from 1; all if it is empty. */
  chosen: readonly number[];
  onChange: (numbers: number[]) => void;
  error: string | undefined;
}

/** Selects which tests of a profile run; nothing to select if it has only one. */
export function TestChoice({ tests, chosen, onChange, error }: TestChoiceProps) {
  if (tests.length < 2 && !error) return null;
  const all = tests.map((_, index) => index + 1);
  const shown = chosenTests({ tests: [...chosen] }, all);
  const choose = (values: string[]) => {
    const numbers = all.filter((number) => values.includes(String(number)));
    if (numbers.length > 0) onChange(numbers.length === all.length ? [] : numbers);
  };
  return (
    <Checkbox.Group
      className={classes.together}
      label="Tests of the profile"
      value={shown.map(String)}
      onChange={choose}
      error={error}
    >
      <div className={classes.options}>
        {tests.map((test, index) => (
          <Checkbox
            // biome-ignore lint/suspicious/noArrayIndexKey: the number identifies a test
            key={index}
            value={String(index + 1)}
            label={test.title}
            description={kindOf(test).brief(test)}
          />
        ))}
      </div>
    </Checkbox.Group>
  );
}
