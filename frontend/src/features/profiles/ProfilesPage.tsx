import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { profilesQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { kindOf } from "@/features/kinds/registry";
import { CopyProfile } from "./CopyProfile";
import classes from "./Profiles.module.css";

const column = columnsOf<Profile>();

const COLUMNS = column.columns([
  column.accessor("name", {
    header: "Name",
    cell: ({ row: { original: profile } }) => (
      <>
        <Link to="/profiles/$id" params={{ id: profile.id }} className={classes.name}>
          {profile.name}
        </Link>
        <span className={classes.description}>{profile.description}</span>
      </>
    ),
  }),
  column.accessor(
    (profile) => profile.body.tests.map((test) => kindOf(test).brief(test)).join("; "),
    {
      id: "tests",
      header: "Tests",
    },
  ),
  column.accessor((profile) => (profile.builtin ? "built-in" : `version\u00a0${profile.version}`), {
    id: "version",
    header: "Version",
  }),
  column.accessor("created_at", {
    header: "Saved",
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: ({ row: { original: profile } }) => <Actions profile={profile} />,
  }),
]);

function Actions({ profile }: { profile: Profile }) {
  if (!useCan("operator")) return null;
  return (
    <div className={classes.actions}>
      <Button
        variant="default"
        size="xs"
        renderRoot={(props) => (
          <Link to="/launch" search={{ profile: String(profile.id) }} {...props} />
        )}
      >
        Launch
      </Button>
      <CopyProfile profile={profile} size="xs" />
    </div>
  );
}

/** All profiles, the newest version of each. */
export function ProfilesPage() {
  const profiles = useQuery(profilesQuery);
  return (
    <>
      <PageHeader title="Profiles" />
      <p className={classes.intro}>
        A profile is a named list of tests. To customize a built-in profile, copy it. Each edit
        creates a version; campaigns keep the version they ran.
      </p>
      <Resolved query={profiles} what="profiles">
        {({ items }) => (
          <DataTable caption="Profiles" columns={COLUMNS} rows={items} rowId={({ id }) => id} />
        )}
      </Resolved>
    </>
  );
}
