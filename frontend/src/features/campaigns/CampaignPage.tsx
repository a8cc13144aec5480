import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, lazyRouteComponent, useParams } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { campaignQuery, campaignVerdictQuery, MOST_COMPARED } from "@/api/queries";
import type { Campaign, RunSummary } from "@/api/shapes";
import { useCan } from "@/api/writes";
import { Notice } from "@/components/feedback/Notices";
import { isFirstLoad, Loading, Resolved, useOnceReady } from "@/components/feedback/Resolved";
import { LabelLine } from "@/components/labels/Labels";
import { PageHeader, Section } from "@/components/page/Page";
import { hasEnded, OutcomeBadge } from "@/components/state/StateBadge";
import { useLiveCode } from "@/features/kinds/registry";
import { RunAgain } from "@/features/launch/again/RunAgain";
import { notesQuery } from "@/features/notes/notes";
import { ShareCampaign } from "@/features/sharing/ShareCampaign";
import { CampaignSummary } from "./CampaignSummary";
import classes from "./Campaigns.module.css";
import type { Connection, Feed } from "./feed";
import { MarkSeen } from "./MarkSeen";
import { RunRow } from "./RunRow";
import { useCampaignStream } from "./stream";

// Few campaigns have them.
const ScaleOutSection = lazyRouteComponent(
  () => import("./scaleOut/ScaleOutSection"),
  "ScaleOutSection",
);
const MeshSection = lazyRouteComponent(() => import("./mesh/MeshSection"), "MeshSection");
const SelectedRuns = lazyRouteComponent(() => import("./SelectedRuns"), "SelectedRuns");
// Below everything else, so that they move nothing when they come.
const CampaignVerdictSection = lazyRouteComponent(
  () => import("@/features/verdicts/CampaignVerdictSection"),
  "CampaignVerdictSection",
);
const NotesSection = lazyRouteComponent(
  () => import("@/features/notes/NotesSection"),
  "NotesSection",
);
const CancelCampaign = lazyRouteComponent(() => import("./CancelCampaign"), "CancelCampaign");
const DeleteCampaign = lazyRouteComponent(() => import("./DeleteCampaign"), "DeleteCampaign");
// Only an active campaign has it.

export function CampaignPage() {
  const { id } = useParams({ from: "/campaigns/$id" });
  const query = useQuery(campaignQuery(id));
  const verdict = useQuery({
    ...campaignVerdictQuery(id),
    enabled: query.data !== undefined && query.data.verdict !== null,
  });
  const notes = useQuery(notesQuery({ kind: "campaign", id }));
  const hasCode = useLiveCode(query.data?.runs ?? []);
  const isComplete = useOnceReady(
    id,
    query.data !== undefined && !isFirstLoad(verdict) && !isFirstLoad(notes) && hasCode,
  );
  return (
    <>
      {isComplete ? null : (
        <PageHeader
          title={`Campaign ${id}`}
          parents={[<CampaignsLink key="all" />]}
          pending={!query.isError}
        />
      )}
      <Resolved
        query={query}
        what="campaign"
        rows={8}
        elsewhere={<Link to="/campaigns">All campaigns</Link>}
      >
        {(campaign) =>
          isComplete ? (
            <LiveCampaign key={id} id={id} snapshot={campaign} />
          ) : (
            <Loading what="verdict" rows={8} />
          )
        }
      </Resolved>
    </>
  );
}

const CampaignsLink = () => <Link to="/campaigns">Campaigns</Link>;

/** The page of a loaded campaign, kept current by the event stream. */
function LiveCampaign({ id, snapshot }: { id: number; snapshot: Campaign }) {
  const { feed, refresh } = useCampaignStream(id);
  const campaign = feed.campaign ?? snapshot;
  const mayChange = useCan("operator");
  return (
    <>
      <PageHeader
        title={campaign.name}
        parents={[<CampaignsLink key="all" />]}
        aside={
          <OutcomeBadge
            outcome={campaign.verdict?.outcome}
            state={campaign.state}
            condition={campaign.condition}
            word={campaign.cancel_requested && !hasEnded(campaign.state) ? "canceling" : undefined}
          />
        }
        action={
          mayChange && !hasEnded(campaign.state) ? (
            <Suspense>
              <CancelCampaign campaign={campaign} onCancelled={refresh} />
            </Suspense>
          ) : (
            <RunAgain campaignId={id} />
          )
        }
      />
      <ConnectionLine connection={feed.connection} />
      {campaign.verdict ? (
        <Suspense fallback={<Loading what="verdict" rows={8} />}>
          <CampaignVerdictSection campaign={campaign} />
        </Suspense>
      ) : null}
      <CampaignSummary campaign={campaign} />
      <LabelLine
        of={campaign}
        action={
          <>
            {campaign.needs_attention ? <MarkSeen ids={[id]} onDone={refresh} /> : null}
            {mayChange ? <EditCampaign campaign={campaign} onSaved={refresh} /> : null}
            <ShareCampaign id={id} />
          </>
        }
      />
      <Suspense fallback={<Loading what="runs side by side" rows={8} />}>
        {campaign.parameters.scale_out ? <ScaleOutSection campaign={campaign} /> : null}
        {campaign.parameters.arrangement === "mesh" ? <MeshSection campaign={campaign} /> : null}
      </Suspense>
      <Runs campaign={campaign} live={feed.live} />
      {campaign.verdict ? null : (
        <Suspense>
          <CampaignVerdictSection campaign={campaign} />
        </Suspense>
      )}
      <Suspense>
        <NotesSection of={{ kind: "campaign", id }} />
        {mayChange ? <DeleteCampaign campaign={campaign} /> : null}
      </Suspense>
    </>
  );
}

/** A notice while live updates are interrupted, or after the campaign was deleted. */
function ConnectionLine({ connection }: { connection: Connection }) {
  if (connection === "deleted") {
    return (
      <Notice title="Campaign deleted">
        This campaign was deleted while the page was open. The page shows its last state.
      </Notice>
    );
  }
  if (connection !== "reconnecting") return null;
  return (
    <Notice title="Live updates interrupted">
      The connection to Assay was lost. Runs continue; the page updates when the connection returns.
    </Notice>
  );
}

/**
 * The runs in order; the first that has not ended is expanded, then the next one. Two or more that
 * are selected are compared below.
 */
function Runs({ campaign, live }: { campaign: Campaign; live: Feed["live"] }) {
  const { runs } = campaign;
  const next = runs.find((run) => !hasEnded(run.state)) ?? null;
  const opened = next ?? runs[0];
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const measured = runs.filter(hasResult).length;
  const comparable = measured > 1;
  const isFull = chosen.length >= MOST_COMPARED;
  const toggle = (id: number) =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <>
      <Section
        title="Runs"
        hint={comparisonHint(measured, isFull)}
        action={<CompareRuns runs={runs} selected={chosen} />}
      >
        <div className={classes.runs}>
          {runs.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              live={run.participants.flatMap(({ id }) => live.get(id) ?? [])}
              initiallyOpen={run.id === opened?.id}
              itsTurn={run.id === next?.id}
              selection={
                comparable && hasResult(run)
                  ? {
                      isSelected: chosen.includes(run.id),
                      isFull,
                      onToggle: () => toggle(run.id),
                    }
                  : undefined
              }
            />
          ))}
        </div>
      </Section>
      {chosen.length > 1 ? (
        <Suspense fallback={<Loading what="comparison" rows={10} />}>
          <SelectedRuns ids={chosen} />
        </Suspense>
      ) : null}
    </>
  );
}

type Props = { campaign: Campaign; onSaved: () => unknown };

const CampaignForm = lazyRouteComponent(() => import("./CampaignForm"), "CampaignForm");

/** A button that edits a campaign's name, labels and reference in a dialog. */
function EditCampaign({ campaign, onSaved }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit campaign
      </Button>
      <Modal opened={opened} onClose={close} title="Edit campaign">
        <Suspense fallback={<Loading what="form" rows={6} />}>
          <CampaignForm
            campaign={campaign}
            onSaved={() => {
              close();
              return onSaved();
            }}
          />
        </Suspense>
      </Modal>
    </>
  );
}

const hasResult = ({ trials_done }: RunSummary): boolean => trials_done > 0;

interface CompareRunsProps {
  runs: readonly RunSummary[];
  selected: readonly number[];
}

/** A link that compares the selected runs, else all that have results if these are not too many. */
export function CompareRuns({ runs, selected }: CompareRunsProps) {
  const all = runs.filter(hasResult).map(({ id }) => id);
  const measured = selected.length > 1 ? selected : all;
  if (measured.length < 2 || measured.length > MOST_COMPARED) return null;
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/compare" search={{ runs: [...measured] }} {...props} />}
    >
      {selected.length > 1 ? "Open in Compare" : "Compare runs"}
    </Button>
  );
}

/** How to compare runs in place; `isFull` if no further one can be selected. */
export function comparisonHint(measured: number, isFull: boolean): string | undefined {
  if (measured < 2) return undefined;
  if (isFull) return `${MOST_COMPARED} runs are selected, the most that can be compared.`;
  const most = measured > MOST_COMPARED ? ` to ${MOST_COMPARED}` : " or more";
  return `Select two${most} runs to compare them below.`;
}
