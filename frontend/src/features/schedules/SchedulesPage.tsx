import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { scheduleListQuery } from "@/api/queries";
import type { Schedule } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Empty } from "@/components/feedback/Notices";
import { FilterBar } from "@/components/list/FilterBar";
import { stateFilter } from "@/components/list/filters";
import { ListTable, useListView } from "@/components/list/ListTable";
import { PageHeader } from "@/components/page/Page";
import { RelativeTime } from "@/components/quantities";
import { OutcomeBadge, StateBadge } from "@/components/state/StateBadge";
import { columnsOf, ID } from "@/components/table/DataTable";
import { HistoryTabs } from "@/features/runs/HistoryTabs";
import classes from "./Schedules.module.css";
import { fireTimeWords, REFRESH_MS } from "./schedules";

const column = columnsOf<Schedule>();

const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("state", {
    header: "State",
    meta: { narrow: "lead" },
    cell: ({ getValue }) => <StateBadge state={getValue()} />,
  }),
  column.accessor("name", {
    header: "Schedule",
    meta: { narrow: "lead" },
    cell: ({ row: { original: schedule } }) => (
      <>
        <Link to="/schedules/$id" params={{ id: schedule.id }} className={classes.name}>
          {schedule.name}
        </Link>
        <span className={`unfolded ${classes.under}`}>
          {schedule.profile?.name ?? "Profile deleted"}
        </span>
      </>
    ),
  }),
  column.accessor("description", {
    header: "Repeat",
    meta: { narrow: "second" },
    cell: ({ row: { original: schedule } }) => (
      <>
        {schedule.description}
        <span className={`unfolded ${classes.under}`}>
          <code>{schedule.cron}</code>, {schedule.zone}
        </span>
      </>
    ),
  }),
  column.accessor((schedule) => schedule.next[0]?.at ?? "", {
    id: "next_at",
    header: "Next",
    meta: { narrow: "figure" },
    cell: ({
      row: {
        original: {
          next: [next],
        },
      },
    }) =>
      next ? (
        <>
          <RelativeTime at={next.at} />
          <span className={`unfolded ${classes.under}`}>{fireTimeWords(next)}</span>
        </>
      ) : (
        "–"
      ),
  }),
  column.accessor((schedule) => schedule.last?.due_at ?? "", {
    id: "last",
    header: "Last",
    meta: { narrow: "named" },
    cell: ({ row: { original: schedule } }) => <Last schedule={schedule} />,
  }),
]);

function Last({ schedule: { last } }: { schedule: Schedule }) {
  if (!last) return "–";
  const { campaign, outcome, due_at } = last;
  return (
    <>
      {campaign ? (
        <Link to="/campaigns/$id" params={{ id: campaign.id }}>
          <OutcomeBadge outcome={campaign.verdict} state={campaign.state} />
        </Link>
      ) : (
        <StateBadge state={outcome} />
      )}
      <span className={`unfolded ${classes.under}`}>
        <RelativeTime at={due_at} />
      </span>
    </>
  );
}

const STATE = { ...stateFilter("active", "paused"), several: false };

/** All schedules, with their next fire times and what became of the last. */
export function SchedulesPage() {
  const view = useListView("name");
  const mayLaunch = useCan("operator");
  const list = useInfiniteQuery({
    ...scheduleListQuery(view.asked),
    refetchInterval: REFRESH_MS,
  });
  const add = mayLaunch ? (
    <Button renderRoot={(props) => <Link to="/launch" {...props} />}>Schedule campaign</Button>
  ) : null;
  return (
    <>
      <PageHeader title="Schedules" action={add} />
      <HistoryTabs search={{}} />
      <FilterBar view={view} what="schedules" filters={[STATE]} />
      <ListTable
        caption="Schedules"
        what="schedules"
        list={list}
        view={view}
        columns={COLUMNS}
        rowId={({ id }) => id}
        sorts={["id", "name", "next_at"]}
        empty={
          <Empty title="No schedules yet" action={add}>
            A schedule launches a campaign at the times of a cron expression. Fill in the launch
            form, then select “Schedule…”.
          </Empty>
        }
      />
    </>
  );
}
