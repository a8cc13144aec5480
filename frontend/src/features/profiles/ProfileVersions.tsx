import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { profileVersionsQuery } from "@/api/queries";
import type { Profile } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { Section } from "@/components/page/Section";
import { RelativeTime } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { kindOf } from "@/features/kinds/registry";
import classes from "./Profiles.module.css";

const column = columnsOf<Profile>();

const COLUMNS = column.columns([
  column.accessor("version", {
    header: "Version",
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
  column.accessor("name", { header: "Name" }),
  column.accessor(
    (profile) => profile.body.tests.map((test) => kindOf(test).brief(test)).join("; "),
    {
      id: "tests",
      header: "Tests",
    },
  ),
  column.accessor("created_at", {
    header: "Saved",
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
]);

/** All versions of a profile, the newest first. */
export function ProfileVersions({ shown }: { shown: Profile }) {
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
