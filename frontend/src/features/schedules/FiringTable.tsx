import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Firing } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { Resolved } from "@/components/feedback/Resolved";
import { RelativeTime } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { OlderRows } from "@/components/table/OlderRows";
import classes from "./Schedules.module.css";
import { firingsQuery } from "./schedules";

const column = columnsOf<Firing>();

const COLUMNS = column.columns([
  column.accessor("due_at", {
    header: "Fire time",
    cell: ({ row: { original: firing } }) => (
      <>
        <RelativeTime at={firing.due_at} />
        {firing.by_hand ? <span className={classes.under}>run by hand</span> : null}
        {firing.times > 1 ? (
          <span className={classes.under}>
            and {firing.times - 1} more until <RelativeTime at={firing.last_due_at} />
          </span>
        ) : null}
      </>
    ),
  }),
  column.accessor("outcome", {
    header: "Outcome",
    cell: ({ getValue }) => <StateBadge state={getValue()} />,
  }),
  column.accessor((firing) => firing.campaign?.id ?? 0, {
    id: "campaign",
    header: "Campaign",
    cell: ({ row: { original: firing } }) => <CampaignOf firing={firing} />,
  }),
  column.accessor((firing) => firing.campaign?.state ?? "", {
    id: "state",
    header: "State",
    cell: ({ getValue }) => (getValue() ? <StateBadge state={getValue()} /> : "–"),
  }),
  column.accessor((firing) => firing.campaign?.verdict ?? "", {
    id: "verdict",
    header: "Verdict",
    cell: ({ getValue }) => (getValue() ? <StateBadge state={getValue()} /> : "–"),
  }),
  column.accessor((firing) => firing.detail ?? firing.campaign?.waits_for ?? "", {
    id: "detail",
    header: "Detail",
    cell: ({ getValue }) => getValue() || "–",
  }),
]);

function CampaignOf({ firing: { campaign, outcome } }: { firing: Firing }) {
  if (campaign) {
    return (
      <Link to="/campaigns/$id" params={{ id: campaign.id }}>
        {campaign.name} <span className="figures">#{campaign.id}</span>
      </Link>
    );
  }
  return outcome === "launched" ? "Deleted" : "–";
}

/** What became of a schedule's fire times, newest first, with the campaigns. */
export function FiringTable({ scheduleId }: { scheduleId: number }) {
  const list = useInfiniteQuery(firingsQuery(scheduleId));
  return (
    <>
      <Resolved query={list} what="fire times" rows={3}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length === 0) {
            return (
              <Empty title="Not fired yet">
                Each fire time appears here with its campaign, or with the reason why there is none.
              </Empty>
            );
          }
          return (
            <DataTable
              caption="Fire times"
              columns={COLUMNS}
              rows={rows}
              rowId={({ id }) => id}
              sortedBy="-due_at"
            />
          );
        }}
      </Resolved>
      <OlderRows list={list} what="fire times" />
    </>
  );
}
