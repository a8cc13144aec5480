import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { explained } from "@/api/problem";
import { resultQuery, runQuery, runVerdictQuery, sessionQuery } from "@/api/queries";
import type { Result, Run } from "@/api/shapes";
import { Loading } from "@/components/feedback/Loading";
import { Notice } from "@/components/feedback/Notice";
import { isFirstLoad, Resolved } from "@/components/feedback/Resolved";
import { useOnceReady } from "@/components/feedback/useOnceReady";
import { PageHeader } from "@/components/page/PageHeader";
import { StateBadge } from "@/components/state/StateBadge";
import { hasEnded } from "@/components/state/states";
import { hostsOf } from "@/features/campaigns/summary";
import { CompareWith } from "@/features/compare/CompareWith";
import { kindOf } from "@/features/kinds/registry";
import { RunAgain } from "@/features/launch/again/RunAgain";
import { NotesSection } from "@/features/notes/NotesSection";
import { RESULT_READ } from "@/features/overview/steps";
import { SamplesRemoved } from "@/features/runs/SamplesRemoved";
import { RunVerdictSection } from "@/features/verdicts/RunVerdictSection";
import { Conditions } from "./Conditions";
import { CopyResult } from "./copy/CopyResult";
import { Downloads } from "./Downloads";
import classes from "./ResultPage.module.css";

/** The refetch interval of an active run; its campaign page shows it live. */
const REFRESH_MS = 3000;

export function ResultPage() {
  const { id } = useParams({ from: "/runs/$id" });
  const run = useQuery({
    ...runQuery(id),
    refetchInterval: ({ state }) => (isActive(state.data) ? REFRESH_MS : false),
  });
  const result = useQuery({
    ...resultQuery(id),
    // once more after the run has ended, for the result of its last trials
    refetchInterval: ({ state }) =>
      isActive(run.data) || state.dataUpdatedAt < run.dataUpdatedAt ? REFRESH_MS : false,
  });
  const verdict = useQuery({
    ...runVerdictQuery(id),
    enabled: run.data !== undefined && run.data.verdict !== null,
  });
  const [, setRead] = useLocalStorage({ key: RESULT_READ, defaultValue: false });
  const isRead = result.data !== undefined && (run.data?.trials_done ?? 0) > 0;
  useEffect(() => {
    if (isRead) setRead(true);
  }, [isRead, setRead]);
  const isComplete = useOnceReady(id, run.data !== undefined && !isFirstLoad(verdict));
  // Wait for all, and for the code of the kind, so that nothing shifts when the last one arrives.
  return (
    <>
      <ResultHeader id={id} run={run.data} failed={run.isError} />
      <Resolved
        query={run}
        what="run"
        rows={12}
        elsewhere={<Link to="/campaigns">All campaigns</Link>}
      >
        {(found) => (
          <Resolved query={result} what="result" rows={12}>
            {(loaded) =>
              isComplete ? (
                <Suspense fallback={<Loading what="result" rows={12} />}>
                  <RunVerdictSection run={found} />
                  <RunResult result={loaded} run={found} />
                  <Conditions run={found} />
                  <Downloads run={found} />
                  <NotesSection of={{ kind: "run", id }} />
                </Suspense>
              ) : (
                <Loading what="verdict" rows={12} />
              )
            }
          </Resolved>
        )}
      </Resolved>
    </>
  );
}

const isActive = (run: Run | undefined): boolean => run !== undefined && !hasEnded(run.state);

function ResultHeader({ id, run, failed }: { id: number; run?: Run | undefined; failed: boolean }) {
  const isKnown = useQuery(sessionQuery).data !== undefined;
  const campaigns = (
    <Link key="campaigns" to="/campaigns">
      Campaigns
    </Link>
  );
  if (!run) return <PageHeader title={`Run ${id}`} parents={[campaigns]} pending={!failed} />;
  const parents = [
    campaigns,
    <Link key="campaign" to="/campaigns/$id" params={{ id: run.campaign_id }}>
      Campaign {run.campaign_id}
    </Link>,
  ];
  return (
    <PageHeader
      title={`${run.title} on ${hostsOf(run)}`}
      parents={parents}
      aside={<StateBadge state={run.state} condition={run.condition} />}
      action={
        // one of the buttons depends on the role: both wait for it, so that none moves
        isKnown ? (
          <div className={classes.actions}>
            <RunAgain campaignId={run.campaign_id} runId={id} />
            <CompareWith runId={id} />
            <CopyResult runId={id} />
          </div>
        ) : null
      }
    />
  );
}

function RunResult({ result, run }: { result: Result; run: Run }) {
  const kind = kindOf(result);
  return (
    <kind.Result result={result} run={run} ended={!isActive(run)}>
      <SamplesRemoved run={run} />
      {run.waits_for ? <p>Queued: {run.waits_for.what}</p> : failureOf(run)}
    </kind.Result>
  );
}

/** Why a run ended early, as its driver recorded it. */
function failureOf({ error, state_reason }: Run) {
  if (error === null) return state_reason ? <Notice>{state_reason}</Notice> : null;
  return <Notice title={error.title}>{explained(error.detail, error.remedy)}</Notice>;
}
