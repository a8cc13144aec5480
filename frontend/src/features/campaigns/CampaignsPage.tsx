import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { campaignListQuery } from "@/api/queries";
import type { Campaign } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Empty } from "@/components/feedback/Notices";
import { FilterBar } from "@/components/list/FilterBar";
import { stateFilter } from "@/components/list/filters";
import { ListTable, SelectBox, Selection, useListView } from "@/components/list/ListTable";
import { SavedViews } from "@/components/list/SavedViews";
import { PageHeader } from "@/components/page/Page";
import { Duration, Rate, RelativeTime } from "@/components/quantities";
import { OutcomeBadge } from "@/components/state/StateBadge";
import { columnsOf, ID } from "@/components/table/DataTable";
import { HistoryTabs, useRunFilters } from "@/features/runs/HistoryTabs";
import { BestRate } from "./BestRate";
import classes from "./Campaigns.module.css";
import { SelectedCampaigns } from "./SelectedCampaigns";
import { bestOf, placesOf, secondsOf, trialsOf, wordsOf } from "./summary";

const column = columnsOf<Campaign>();

const SELECT = column.display({
  id: "select",
  header: "Select",
  meta: { narrow: "select" },
  cell: ({ row: { original: campaign } }) => (
    <SelectBox id={campaign.id} label={`campaign ${campaign.id}`} />
  ),
});

const COLUMNS = column.columns([
  column.accessor("id", ID),
  column.accessor("state", {
    header: "Outcome",
    meta: { narrow: "lead" },
    cell: ({ row: { original: campaign } }) => (
      <OutcomeBadge
        outcome={campaign.verdict?.outcome}
        state={campaign.state}
        condition={campaign.condition}
      />
    ),
  }),
  column.accessor("name", {
    header: "Campaign",
    meta: { narrow: "lead" },
    cell: ({ row: { original: campaign } }) => (
      <>
        <Link to="/campaigns/$id" params={{ id: campaign.id }} className={classes.name}>
          {campaign.name}
        </Link>
        <span className={`unfolded ${classes.profile}`}>
          {campaign.profile.name}, version {campaign.profile.version}
        </span>
      </>
    ),
  }),
  column.accessor(placesOf, {
    id: "where",
    header: "Target",
    meta: { narrow: "second" },
  }),
  column.accessor(trialsOf, {
    id: "progress",
    header: "Trials",
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor((campaign) => bestOf(campaign)[0]?.best_bytes_per_s ?? 0, {
    id: "best",
    header: "Best",
    meta: { narrow: "figure" },
    cell: ({ row }) => {
      const best = bestOf(row.original);
      if (best.length === 0) return <Rate bytesPerS={null} />;
      return best.map((run, index) => (
        <div key={run.id} className={`${classes.best} ${index > 0 ? "unfolded" : ""}`}>
          <BestRate run={run} /> <span className="unfolded">{wordsOf(run).noun}</span>
        </div>
      ));
    },
  }),
  column.accessor((campaign) => secondsOf(campaign) ?? 0, {
    id: "duration",
    header: "Duration",
    cell: ({ row }) => <Duration seconds={secondsOf(row.original)} />,
  }),
  column.accessor("created_at", {
    header: "Launched",
    meta: { narrow: "second" },
    cell: ({ row: { original: campaign } }) => (
      <>
        <RelativeTime at={campaign.created_at} />
        {campaign.created_by ? (
          <span className={`unfolded ${classes.launcher}`}> by {campaign.created_by}</span>
        ) : null}
      </>
    ),
  }),
]);

/** Offered only where the overview's link has set it: one more would need another line. */
const ATTENTION = {
  name: "needs_attention",
  label: "Attention",
  options: [
    { value: "true", label: "Needs attention" },
    { value: "false", label: "Needs no attention" },
  ],
};

const STATE = stateFilter("queued", "running", "done", "failed", "cancelled");

/** All campaigns; those that are selected can be canceled, labeled and deleted together. */
export function CampaignsPage() {
  const view = useListView("-created_at");
  const filters = useRunFilters();
  const mayLaunch = useCan("operator");
  const list = useInfiniteQuery({ ...campaignListQuery(view.asked), refetchInterval: 5000 });
  const campaigns = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const launch = mayLaunch ? (
    <Button renderRoot={(props) => <Link to="/launch" {...props} />}>Launch campaign</Button>
  ) : null;
  return (
    <>
      <PageHeader title="Campaigns" action={launch} />
      <HistoryTabs search={view.search} />
      <SavedViews list="campaigns" view={view} />
      <FilterBar
        view={view}
        what="campaigns"
        filters={[STATE, ...(view.search.needs_attention ? [ATTENTION] : []), ...filters]}
        labeled
        time="Launched"
      />
      <Selection
        among={campaigns.map(({ id }) => id)}
        actions={(ids, clear) => (
          <SelectedCampaigns
            campaigns={campaigns.filter(({ id }) => ids.includes(id))}
            onDone={clear}
          />
        )}
      >
        <ListTable
          caption="Campaigns"
          what="campaigns"
          list={list}
          view={view}
          columns={mayLaunch ? [SELECT, ...COLUMNS] : COLUMNS}
          rowId={({ id }) => id}
          sorts={["id", "name", "created_at"]}
          empty={
            <Empty title="No campaigns yet" action={launch}>
              A campaign runs the tests of a profile on selected targets.
            </Empty>
          }
        />
      </Selection>
    </>
  );
}
