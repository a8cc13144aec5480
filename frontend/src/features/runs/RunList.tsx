import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { MOST_COMPARED, runListQuery } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";
import { Empty } from "@/components/feedback/Notices";
import { FilterBar } from "@/components/list/FilterBar";
import { stateFilter } from "@/components/list/filters";
import { ListTable, type ListView, SelectBox, Selection } from "@/components/list/ListTable";
import { RelativeTime } from "@/components/quantities";
import { OutcomeBadge } from "@/components/state/StateBadge";
import { columnsOf } from "@/components/table/DataTable";
import { BestRate } from "@/features/campaigns/BestRate";
import { whereOf } from "@/features/campaigns/summary";
import { ExportButton } from "@/features/exports/ExportButton";
import { kindOf } from "@/features/kinds/registry";
import { useRunFilters } from "./HistoryTabs";
import classes from "./Runs.module.css";

const column = columnsOf<RunSummary>();

const COLUMNS = column.columns([
  column.display({
    id: "select",
    header: "Select",
    meta: { narrow: "select" },
    cell: ({ row: { original: run } }) => <SelectBox id={run.id} label={`run ${run.id}`} />,
  }),
  column.accessor("id", {
    header: "Run",
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor("state", {
    header: "Outcome",
    meta: { narrow: "lead" },
    cell: ({ row: { original: run } }) => (
      <OutcomeBadge outcome={run.verdict?.outcome} state={run.state} condition={run.condition} />
    ),
  }),
  column.accessor("title", {
    header: "Test",
    meta: { narrow: "lead" },
    cell: ({ row: { original: run } }) => (
      <>
        <Link to="/runs/$id" params={{ id: run.id }} className={classes.title}>
          {run.title}
        </Link>
        <Link
          to="/campaigns/$id"
          params={{ id: run.campaign_id }}
          className={`unfolded ${classes.campaign}`}
        >
          campaign {run.campaign_id}
        </Link>
      </>
    ),
  }),
  column.accessor((run) => kindOf(run).label, { id: "kind", header: "Kind" }),
  column.accessor(whereOf, {
    id: "where",
    header: "Target",
    meta: { narrow: "second" },
  }),
  column.accessor((run) => run.best_bytes_per_s ?? 0, {
    id: "best",
    header: "Best",
    meta: { narrow: "figure" },
    cell: ({ row }) => <BestRate run={row.original} />,
  }),
  column.accessor("created_at", {
    header: "Launched",
    meta: { narrow: "second" },
    cell: ({ getValue }) => <RelativeTime at={getValue()} />,
  }),
]);

const STATE = stateFilter(
  "queued",
  "preparing",
  "running",
  "finishing",
  "done",
  "failed",
  "cancelled",
);

interface RunListProps {
  view: ListView;
  /** Shows only the runs that measured this array. */
  arrayId?: number;
}

/** Runs across campaigns: what was measured where, with what result; several can be compared. */
export function RunList({ view, arrayId }: RunListProps) {
  const every = useRunFilters();
  const filters = every.filter(({ name }) => arrayId === undefined || name !== "array_id");
  const asked = arrayId === undefined ? view.asked : { ...view.asked, array_id: String(arrayId) };
  const list = useInfiniteQuery({ ...runListQuery(asked), refetchInterval: 5000 });
  const runs = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <FilterBar view={view} what="runs" filters={[STATE, ...filters]} labeled time="Launched" />
      <div className={classes.tools}>
        <ExportButton of={{ search: asked }} />
      </div>
      <Selection
        among={runs.map(({ id }) => id)}
        actions={(ids, clear) => (
          <>
            {ids.length < 2 || ids.length > MOST_COMPARED ? (
              <span className={classes.hint}>
                Select 2 to {MOST_COMPARED} runs to compare them.
              </span>
            ) : (
              <Button
                variant="default"
                renderRoot={(props) => <Link to="/compare" search={{ runs: ids }} {...props} />}
              >
                Compare {ids.length} runs
              </Button>
            )}
            <Button variant="default" onClick={clear}>
              Clear selection
            </Button>
          </>
        )}
      >
        <ListTable
          caption="Runs"
          what="runs"
          list={list}
          view={view}
          columns={COLUMNS}
          rowId={({ id }) => id}
          sorts={["id", "state", "title", "kind", "created_at"]}
          empty={
            <Empty title="No runs yet">
              A run is one test of a campaign, on one target or on several together.
            </Empty>
          }
        />
      </Selection>
    </>
  );
}
