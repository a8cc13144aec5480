import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { campaignQuery } from "@/api/queries";
import type { Campaign } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./CampaignPage.module.css";
import { CampaignSummary } from "./CampaignSummary";
import { CancelCampaign } from "./CancelCampaign";
import { ConnectionLine } from "./ConnectionLine";
import type { Feed } from "./feed";
import { RunRow } from "./RunRow";
import { useCampaignStream } from "./useCampaignStream";

const ENDED = new Set(["done", "failed", "cancelled"]);
const CANCELLABLE = new Set(["queued", "running"]);

export function CampaignPage() {
  const { id } = useParams({ from: "/campaigns/$id" });
  const query = useQuery(campaignQuery(id));
  return (
    <>
      {query.data ? null : (
        <PageHeader title={`Campaign ${id}`} parents={[<CampaignsLink key="all" />]} />
      )}
      <Resolved query={query} what="campaign" rows={8}>
        {(campaign) => <LiveCampaign key={id} id={id} snapshot={campaign} />}
      </Resolved>
    </>
  );
}

const CampaignsLink = () => <Link to="/campaigns">Campaigns</Link>;

/** The page of a campaign that exists: from here on the stream brings what changes. */
function LiveCampaign({ id, snapshot }: { id: number; snapshot: Campaign }) {
  const { feed, refresh } = useCampaignStream(id);
  const campaign = feed.campaign ?? snapshot;
  const mayCancel = useCan("operator");
  return (
    <>
      <PageHeader
        title={campaign.name}
        parents={[<CampaignsLink key="all" />]}
        aside={
          <StateBadge
            state={campaign.state}
            condition={campaign.condition}
            word={
              campaign.cancel_requested && CANCELLABLE.has(campaign.state)
                ? "cancelling"
                : undefined
            }
          />
        }
        action={
          mayCancel && CANCELLABLE.has(campaign.state) ? (
            <CancelCampaign campaign={campaign} onCancelled={refresh} />
          ) : undefined
        }
      />
      <ConnectionLine connection={feed.connection} />
      <CampaignSummary campaign={campaign} />
      <Runs campaign={campaign} live={feed.live} />
    </>
  );
}

/** The way to the runs side by side, from the second on of which something was measured. */
function CompareRuns({ runs }: Pick<Campaign, "runs">) {
  const measured = runs.filter(({ trials_done }) => trials_done > 0).map(({ id }) => id);
  if (measured.length < 2) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/compare" search={{ runs: measured }} {...props} />}
    >
      Compare runs
    </Button>
  );
}

/** The runs in their order; the first that has not ended is unfolded, and the next one after it. */
function Runs({ campaign, live }: { campaign: Campaign; live: Feed["live"] }) {
  const next = campaign.runs.find((run) => !ENDED.has(run.state)) ?? null;
  const opened = next ?? campaign.runs[0];
  return (
    <Section title="Runs" action={<CompareRuns runs={campaign.runs} />}>
      <div className={classes.runs}>
        {campaign.runs.map((run) => (
          <RunRow
            key={run.id}
            run={run}
            live={live.get(run.id) ?? null}
            initiallyOpen={run.id === opened?.id}
            itsTurn={run.id === next?.id}
          />
        ))}
      </div>
    </Section>
  );
}
