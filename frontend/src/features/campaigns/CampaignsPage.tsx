import { Button, SegmentedControl, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { campaignsQuery } from "@/api/queries";
import type { Campaign, CampaignState, Outcome } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Empty } from "@/components/feedback/Empty";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Duration, Rate, RelativeTime } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { lookOf } from "@/components/state/states";
import { columnsOf, DataTable } from "@/components/table/DataTable";
import { OlderRows } from "@/components/table/OlderRows";
import { BestRate } from "./BestRate";
import classes from "./Campaigns.module.css";
import { bestOf, placesOf, secondsOf, trialsOf, wordsOf } from "./summary";

const route = getRouteApi("/campaigns");
const column = columnsOf<Campaign>();

const COLUMNS = column.columns([
  column.accessor("state", {
    header: "State",
    cell: ({ getValue, row }) => (
      <StateBadge state={getValue()} condition={row.original.condition} />
    ),
  }),
  column.accessor((campaign) => campaign.verdict?.outcome ?? "", {
    id: "verdict",
    header: "Verdict",
    cell: ({ getValue }) => (getValue() ? <StateBadge state={getValue()} /> : "–"),
  }),
  column.accessor("name", {
    header: "Campaign",
    cell: ({ row: { original: campaign } }) => (
      <>
        <Link to="/campaigns/$id" params={{ id: campaign.id }} className={classes.name}>
          {campaign.name}
        </Link>
        <span className={classes.profile}>
          {campaign.profile.name}, version {campaign.profile.version}
        </span>
      </>
    ),
  }),
  column.accessor(placesOf, { id: "where", header: "Target" }),
  column.accessor(trialsOf, {
    id: "progress",
    header: "Trials",
    cell: ({ getValue }) => <span className="figures">{getValue()}</span>,
  }),
  column.accessor((campaign) => bestOf(campaign)[0]?.best_bytes_per_s ?? 0, {
    id: "best",
    header: "Best",
    cell: ({ row }) => {
      const best = bestOf(row.original);
      if (best.length === 0) return <Rate bytesPerS={null} />;
      return best.map((run) => (
        <div key={run.id} className={classes.best}>
          <BestRate run={run} /> {wordsOf(run).noun}
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
    cell: ({ row: { original: campaign } }) => (
      <>
        <RelativeTime at={campaign.created_at} />
        {campaign.created_by ? (
          <span className={classes.launcher}> by {campaign.created_by}</span>
        ) : null}
      </>
    ),
  }),
]);

const VERDICTS: Outcome[] = ["fail", "inconclusive", "waived", "pass"];

const FILTERS: { value: CampaignState | ""; label: string }[] = [
  { value: "", label: "All" },
  { value: "running", label: "Running" },
  { value: "queued", label: "Queued" },
  { value: "done", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "cancelled", label: "Canceled" },
];

/** All campaigns, the newest first. */
export function CampaignsPage() {
  const { state, verdict } = route.useSearch();
  const navigate = route.useNavigate();
  const mayLaunch = useCan("operator");
  const list = useInfiniteQuery({ ...campaignsQuery({ state, verdict }), refetchInterval: 5000 });
  const launch = (
    <Button renderRoot={(props) => <Link to="/launch" {...props} />}>Launch campaign</Button>
  );
  return (
    <>
      <PageHeader title="Campaigns" action={mayLaunch ? launch : null} />
      <div className={classes.filters}>
        <div className={classes.filter}>
          <SegmentedControl
            aria-label="Filter by state"
            data={FILTERS}
            value={state ?? ""}
            onChange={(value) =>
              navigate({
                search: { state: (value || undefined) as CampaignState | undefined, verdict },
                replace: true,
              })
            }
          />
        </div>
        <Select
          aria-label="Filter by verdict"
          placeholder="Any verdict"
          clearable
          data={VERDICTS.map((value) => ({ value, label: lookOf(value).label }))}
          value={verdict ?? null}
          onChange={(value) =>
            navigate({ search: { state, verdict: (value ?? undefined) as Outcome }, replace: true })
          }
        />
      </div>
      <Resolved query={list} what="campaigns">
        {({ pages: [first, ...older] }) =>
          first?.items.length ? (
            <DataTable
              caption="Campaigns"
              columns={COLUMNS}
              rows={[first, ...older].flatMap((page) => page.items)}
              rowId={({ id }) => id}
              sortedBy="-created_at"
            />
          ) : (
            <Empty
              title={emptyTitle(state, verdict)}
              action={mayLaunch && !state && !verdict ? launch : null}
            >
              {state || verdict
                ? null
                : "A campaign runs the tests of a profile on selected targets."}
            </Empty>
          )
        }
      </Resolved>
      <OlderRows list={list} what="campaigns" />
    </>
  );
}

function emptyTitle(state: CampaignState | undefined, verdict: Outcome | undefined): string {
  if (verdict) return "No matching campaigns";
  return state ? `No ${lookOf(state).label} campaigns` : "No campaigns yet";
}
