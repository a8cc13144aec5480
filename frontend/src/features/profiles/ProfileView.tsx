import { Link } from "@tanstack/react-router";
import type { Profile } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Facts } from "@/components/Facts";
import { Notice } from "@/components/feedback/Notice";
import { Section } from "@/components/page/Section";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { valueText } from "@/features/parameters/parameters";
import { CopyProfile } from "./CopyProfile";
import classes from "./Profiles.module.css";
import { SaveAsNewest } from "./SaveAsNewest";

/** `current` is the newest version in use; none when the profile was deleted. */
type Props = { profile: Profile; current: Profile | undefined };

/** A version that cannot be edited: a built-in one, a replaced one, or for who may only look. */
export function ProfileView({ profile, current }: Props) {
  const mayChange = useCan("operator");
  const isNewest = current?.id === profile.id;
  return (
    <>
      {isNewest ? null : (
        <Notice>
          {current ? (
            <>
              This is an older version, kept for campaigns that ran it. The latest is{" "}
              <Link to="/profiles/$id" params={{ id: current.id }}>
                version {current.version}
              </Link>
              .
            </>
          ) : (
            "This profile was deleted. It is kept for campaigns that ran it."
          )}
        </Notice>
      )}
      <p className={classes.intro}>
        {profile.description}
        {profile.builtin ? " Built-in profiles are read-only; copy this one to change it." : null}
      </p>
      {mayChange ? (
        <div className={classes.choices}>
          {current && !isNewest && !profile.builtin ? (
            <SaveAsNewest profile={profile} current={current} />
          ) : null}
          <CopyProfile
            profile={profile}
            label={isNewest ? "Copy" : "Copy as new profile"}
            variant="default"
          />
        </div>
      ) : null}
      {profile.body.tests.map((test, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a profile's tests are known by their order
        <Section key={index} title={`${index + 1}. ${test.title}`}>
          <Facts
            facts={parametersOf(kindOf(test))
              .filter((parameter) => parameter.used?.(test) ?? true)
              .map((parameter): [string, string] => [parameter.label, valueText(test, parameter)])}
          />
        </Section>
      ))}
      {profile.body.criteria?.length ? (
        <Section title="Acceptance criteria">
          <ul>
            {profile.body.criteria.map(({ criterion, stop }) => (
              <li key={criterion}>
                <code>{criterion}</code>
                {stop ? "; a failure stops the campaign" : null}
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
    </>
  );
}
