import { useInfiniteQuery } from "@tanstack/react-query";
import { auditQuery } from "@/api/queries";
import type { AuditEntry } from "@/api/shapes";
import { AtCommas } from "@/components/AtCommas";
import { Resolved } from "@/components/feedback/Resolved";
import { formatUtc } from "@/components/quantities";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { OlderRows } from "@/components/table/OlderRows";
import classes from "./Settings.module.css";
import { SettingsPage } from "./SettingsPage";

const column = columnsOf<AuditEntry>();
const COLUMNS = column.columns([
  column.accessor("at", {
    header: "Time (UTC)",
    cell: ({ getValue }) => (
      <time className={classes.time} dateTime={getValue()}>
        {formatUtc(new Date(getValue()))}
      </time>
    ),
  }),
  column.accessor("actor", { header: "User" }),
  column.accessor("action", {
    header: "Action",
    cell: ({ getValue }) => <code>{getValue()}</code>,
  }),
  column.accessor("object", { header: "Object" }),
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
  const log = useInfiniteQuery(auditQuery);
  return (
    <SettingsPage title="Audit log">
      <Resolved query={log} what="the audit log" rows={8}>
        {({ pages }) => (
          <DataTable
            caption="Audit log"
            columns={COLUMNS}
            rows={pages.flatMap((page) => page.items)}
            rowId={({ id }) => id}
            sortedBy="-at"
          />
        )}
      </Resolved>
      <OlderRows list={log} what="entries" />
    </SettingsPage>
  );
}
