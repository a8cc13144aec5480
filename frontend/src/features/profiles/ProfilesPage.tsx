import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { profileListQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Empty } from "@/components/feedback/Notices";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { PageHeader } from "@/components/page/Page";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, ID } from "@/components/table/DataTable";
import { KINDS, kindOf } from "@/features/kinds/registry";
import { CopyProfile } from "./CopyProfile";
import classes from "./Profiles.module.css";

const column = columnsOf<Profile>();

const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("name", {
    header: "Name",
    meta: { narrow: "lead" },
    cell: ({ row: { original: profile } }) => (
      <>
        <Link to="/profiles/$id" params={{ id: profile.id }} className={classes.name}>
          {profile.name}
        </Link>
        <span className={`unfolded ${classes.description}`}>{profile.description}</span>
      </>
    ),
  }),
  column.accessor(
    (profile) => profile.body.tests.map((test) => kindOf(test).brief(test)).join("; "),
    {
      id: "tests",
      header: "Tests",
      meta: { narrow: "second" },
    },
  ),
  column.accessor((profile) => (profile.builtin ? "built-in" : `version\u00a0${profile.version}`), {
    id: "version",
    header: "Version",
    meta: { narrow: "figure" },
  }),
  column.accessor("created_at", {
    header: "Saved",
    meta: { narrow: "second" },
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

const KIND = {
  name: "kind",
  label: "Test kind",
  several: true,
  options: KINDS.map(({ name, label }) => ({ value: name, label })),
};
const ORIGIN = {
  name: "builtin",
  label: "Origin",
  options: [
    { value: "true", label: "Built-in" },
    { value: "false", label: "Custom" },
  ],
};

/** All profiles, the newest version of each. */
export function ProfilesPage() {
  const view = useListView("id");
  const list = useInfiniteQuery(profileListQuery(view.asked));
  return (
    <>
      <PageHeader title="Profiles" />
      <p className={classes.intro}>
        A profile is a named list of tests. To customize a built-in profile, copy it. Each edit
        creates a version; campaigns keep the version they ran.
      </p>
      <SavedViews list="profiles" view={view} />
      <FilterBar view={view} what="profiles" filters={[KIND, ORIGIN]} />
      <ListTable
        caption="Profiles"
        what="profiles"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "version", "created_at"]}
        empty={<Empty title="No profiles" />}
      />
    </>
  );
}
