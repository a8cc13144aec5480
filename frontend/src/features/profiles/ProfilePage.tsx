import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "@/api/client";
import { profileQuery, profilesQuery, profileVersionsQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { ifMatch, useCan, useWrite } from "@/api/writes";
import { Facts } from "@/components/Facts";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader, Section } from "@/components/page/Page";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { ManagedBy } from "@/features/declarations/ManagedBy";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { valueText } from "@/features/parameters/parameters";
import { CopyProfile } from "./CopyProfile";
import { ProfileEditor } from "./ProfileEditor";
import classes from "./Profiles.module.css";

const route = getRouteApi("/profiles/$id");

/** One version of a profile: the newest of one's own to be edited, any other to be read and copied. */
export function ProfilePage() {
  const { id } = route.useParams();
  const profile = useQuery(profileQuery(id));
  const newest = useQuery(profilesQuery);
  const mayChange = useCan("operator");
  const current = newest.data?.items.find(({ slug }) => slug === profile.data?.slug);
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
          mayChange && current ? (
            <Button
              renderRoot={(props) => (
                <Link to="/launch" search={{ profile: String(id) }} {...props} />
              )}
            >
              Launch
            </Button>
          ) : null
        }
      />
      <Resolved query={newest} what="profiles">
        {() => (
          <Resolved
            query={profile}
            what="profile"
            elsewhere={<Link to="/profiles">All profiles</Link>}
          >
            {(found) => (
              <>
                <ManagedBy file={found.managed_by} />
                {mayChange && !found.builtin && current?.id === found.id ? (
                  <ProfileEditor key={found.id} profile={found} />
                ) : (
                  <ProfileView profile={found} current={current} />
                )}
                <ProfileVersions shown={found} />
              </>
            )}
          </Resolved>
        )}
      </Resolved>
    </>
  );
}

const versionOf = ({ builtin, version }: Profile): string =>
  builtin ? `built-in, version ${version}` : `version ${version}`;

/** `current` is the newest version in use; none when the profile was deleted. */
type Props = { profile: Profile; current: Profile | undefined };

/** A version that cannot be edited: a built-in one, a replaced one, or for who may only look. */
function ProfileView({ profile, current }: Props) {
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

const column = columnsOf<Profile>();

const COLUMNS = column.columns([
  column.accessor("version", {
    header: "Version",
    meta: { narrow: "lead" },
    cell: ({ row: { original: profile } }) => (
      <Link
        to="/profiles/$id"
        params={{ id: profile.id }}
        className={classes.version}
        activeProps={{ "aria-current": "page" }}
      >
        Version {profile.version}
      </Link>
    ),
  }),
  column.accessor("name", { header: "Name", meta: { narrow: "lead" } }),
  column.accessor(
    (profile) => profile.body.tests.map((test) => kindOf(test).brief(test)).join("; "),
    {
      id: "tests",
      header: "Tests",
      meta: { narrow: "second" },
    },
  ),
  column.accessor("created_at", {
    header: "Saved",
    meta: { narrow: "figure" },
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
]);

/** All versions of a profile, the newest first. */
function ProfileVersions({ shown }: { shown: Profile }) {
  const versions = useQuery(profileVersionsQuery(shown.slug));
  return (
    <Section title="Versions" hint="Versions are immutable; campaigns keep the version they ran.">
      <Resolved query={versions} what="versions" rows={1}>
        {({ items }) => (
          <DataTable
            caption="Versions"
            columns={COLUMNS}
            rows={items}
            rowId={({ id }) => id}
            sortedBy="-version"
          />
        )}
      </Resolved>
    </Section>
  );
}

type SaveAsNewestProps = { profile: Profile; current: Profile };

/** Restores an older version by saving it as the next one; versions are immutable. */
function SaveAsNewest({ profile, current }: SaveAsNewestProps) {
  const navigate = useNavigate();
  const save = useWrite(
    "profiles",
    () =>
      unwrap(
        api.PUT("/api/v1/profiles/{profile_id}", {
          params: { path: { profile_id: current.id }, header: ifMatch(current.etag) },
          body: { name: profile.name, description: profile.description, body: profile.body },
        }),
      ),
    (saved) => navigate({ to: "/profiles/$id", params: { id: saved.id } }),
  );
  return (
    <>
      {save.error ? <ProblemPanel error={save.error} /> : null}
      <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
        Save as version {current.version + 1}
      </Button>
    </>
  );
}
