import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { profileQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Facts } from "@/components/Facts";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { PARAMETERS, valuesOf } from "@/features/parameters/parameters";
import { CopyProfile } from "./CopyProfile";
import { ProfileEditor } from "./ProfileEditor";
import classes from "./Profiles.module.css";

const route = getRouteApi("/profiles/$id");

/** One profile: to be edited when it is one's own, to be read and copied when it is built in. */
export function ProfilePage() {
  const { id } = route.useParams();
  const profile = useQuery(profileQuery(id));
  const mayChange = useCan("operator");
  return (
    <>
      <PageHeader
        title={profile.data?.name ?? `Profile ${id}`}
        parents={[
          <Link key="profiles" to="/profiles">
            Profiles
          </Link>,
        ]}
        aside={profile.data ? <span>{versionOf(profile.data)}</span> : null}
        action={
          mayChange && profile.data ? (
            <Button
              renderRoot={(props) => <Link to="/launch" search={{ profile: id }} {...props} />}
            >
              Launch
            </Button>
          ) : null
        }
      />
      <Resolved query={profile} what="profile">
        {(found) =>
          found.builtin || !mayChange ? (
            <ProfileView profile={found} />
          ) : (
            <ProfileEditor key={found.id} profile={found} />
          )
        }
      </Resolved>
    </>
  );
}

const versionOf = ({ builtin, version }: Profile): string =>
  builtin ? `built in, version ${version}` : `version ${version}`;

function ProfileView({ profile }: { profile: Profile }) {
  const mayCopy = useCan("operator");
  return (
    <>
      <p className={classes.intro}>
        {profile.description}
        {profile.builtin ? " It is built in: copy it to change it." : null}
      </p>
      {mayCopy ? <CopyProfile profile={profile} /> : null}
      {profile.body.tests.map((test, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a profile's tests are known by their order
        <Section key={index} title={`${index + 1}. ${test.title}`}>
          <Facts
            facts={[
              ["Kind", test.kind],
              ...PARAMETERS.map((parameter): [string, string] => [
                parameter.label,
                valuesOf([test], parameter),
              ]),
            ]}
          />
        </Section>
      ))}
    </>
  );
}
