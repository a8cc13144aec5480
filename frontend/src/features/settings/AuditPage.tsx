import { useInfiniteQuery } from "@tanstack/react-query";
import { auditListQuery } from "@/api/queries";
import type { AuditEntry } from "@/api/shapes";
import { AtCommas } from "@/components/Facts";
import { Empty } from "@/components/feedback/Notices";
import { FilterBar } from "@/components/list/FilterBar";
import { ListTable, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { formatUtc } from "@/components/quantities";
import { columnsOf } from "@/components/table/DataTable";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

const column = columnsOf<AuditEntry>();
const COLUMNS = column.columns([
  column.accessor("at", {
    header: "Time (UTC)",
    meta: { narrow: "second" },
    cell: ({ getValue }) => (
      <time className={classes.time} dateTime={getValue()}>
        {formatUtc(new Date(getValue()))}
      </time>
    ),
  }),
  column.accessor("actor", { header: "User", meta: { narrow: "second" } }),
  column.accessor("action", {
    header: "Action",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <code>{getValue()}</code>,
  }),
  column.accessor("object", { header: "Object", meta: { narrow: "lead" } }),
  column.accessor((entry) => detailOf(entry.detail), {
    id: "detail",
    header: "Details",
    cell: ({ getValue }) => (
      <span className={classes.detail}>
        <AtCommas text={getValue() || "–"} />
      </span>
    ),
  }),
  column.accessor((entry) => entry.address ?? "", {
    id: "address",
    header: "Source",
    cell: ({ getValue }) => <span className="figures">{getValue() || "–"}</span>,
  }),
]);

/** "address=10.0.0.7 port=22", leaving out what was not given. */
function detailOf(detail: unknown): string {
  return Object.entries((detail ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(" ");
}

/** The audit log of all changes. */
export function AuditPage() {
  const view = useListView("-at");
  const list = useInfiniteQuery(auditListQuery(view.asked));
  return (
    <SettingsPage title="Audit log">
      <SavedViews list="audit" view={view} />
      <FilterBar view={view} what="entries" filters={[]} time="Time" />
      <ListTable
        caption="Audit log"
        what="entries"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["at", "actor", "action", "object"]}
        empty={<Empty title="No entries yet" />}
      />
    </SettingsPage>
  );
}
