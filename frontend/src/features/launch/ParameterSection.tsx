import { useState } from "react";
import type { Test } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import type { TestKind } from "@/features/kinds/kind";
import { groupsInUse, groupsOf, valuesOf } from "@/features/kinds/registry";
import { ParameterFields } from "@/features/parameters/ParameterFields";
import { shownFirst, type Texts } from "@/features/parameters/parameters";
import classes from "./Launch.module.css";
import { StrayTexts } from "./StrayTexts";

interface ParameterSectionProps {
  kinds: readonly TestKind[];
  /** The tests that run, as the profile has them. */
  tests: readonly Test[];
  /** These tests with what the form changes in them. */
  changed: readonly Test[];
  texts: Texts;
  /** The texts with which the profile was selected. */
  opening: Texts;
  /** The texts that are of no parameter of the tests. */
  strays: readonly string[];
  errors: Texts;
  onChange: (changed: Texts) => void;
}

/** What a launch changes in its profile's tests: the parameters that they use, a few of them first. */
export function ParameterSection(props: ParameterSectionProps) {
  const { kinds, tests, changed, texts, opening, strays, errors, onChange } = props;
  // a field that is not used any more stays while it is emptied: it has the focus
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const typed = new Set([...touched, ...namesOf(texts)]);
  const change = (to: Texts) => {
    setTouched(new Set([...touched, ...namesOf(to)]));
    onChange(to);
  };
  const used = groupsInUse(groupsOf(kinds), changed, typed);
  return (
    <Section
      title="Parameters"
      hint="Empty fields use the profile's values. Values entered here apply to all tests."
    >
      <ParameterFields
        groups={used}
        first={shownFirst(used, opening)}
        texts={texts}
        errors={errors}
        onChange={change}
        inherited={({ name }) => valuesOf(tests, name)}
      />
      <StrayTexts names={strays} texts={texts} onChange={onChange} />
      {kinds.map(({ name, ParameterNotes }) =>
        ParameterNotes ? (
          <div key={name} className={classes.words}>
            <ParameterNotes />
          </div>
        ) : null,
      )}
    </Section>
  );
}

/** The names of the texts that say something. */
const namesOf = (texts: Texts): string[] =>
  Object.keys(texts).filter((name) => texts[name]?.trim());
