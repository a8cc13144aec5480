import type { Criterion, Profile } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notice";
import { Section } from "@/components/page/Section";
import { CriteriaField } from "@/features/verdicts/CriteriaField";
import { givenCriteria } from "./plan";

interface LaunchCriteriaProps {
  profile: Profile | undefined;
  criteria: Criterion[];
  onChange: (criteria: Criterion[]) => void;
  /** What the launch changes in the profile's tests. */
  overrides: object;
  /** The server's messages by field. */
  remarks: Record<string, string>;
}

/** The criteria of the profile, and those that this launch adds. */
export function LaunchCriteria(props: LaunchCriteriaProps) {
  const { profile, criteria, onChange, overrides, remarks } = props;
  const own = profile?.body.criteria ?? [];
  const given = givenCriteria({ criteria });
  // a criterion may suit a test only as it is changed here: then the estimate decides
  const isChanged = Object.keys(overrides).length > 0;
  return (
    <Section title="Acceptance criteria">
      {own.length > 0 ? (
        <>
          <p>From the profile:</p>
          <ul>
            {own.map(({ criterion }) => (
              <li key={criterion}>
                <code>{criterion}</code>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {remarks.criteria ? <Notice>{remarks.criteria}</Notice> : null}
      <CriteriaField
        label={own.length > 0 ? "Additional criteria" : "Criteria"}
        description="They apply to this launch only."
        criteria={criteria}
        onChange={onChange}
        tests={isChanged ? undefined : profile?.body.tests}
        stops
        remark={(criterion) => {
          const index = given.findIndex((one) => one.criterion === criterion);
          return remarks[`criteria.${index}.criterion`];
        }}
      />
    </Section>
  );
}
