import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, lazyRouteComponent, useParams } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { explained } from "@/api/client";
import { resultQuery, runQuery, runVerdictQuery, sessionQuery } from "@/api/queries";
import type { Result, Run } from "@/api/shapes";
import { PopoverButton } from "@/components/Buttons";
import { Notice } from "@/components/feedback/Notices";
import { isFirstLoad, Loading, Resolved, useOnceReady } from "@/components/feedback/Resolved";
import { PageHeader, Section } from "@/components/page/Page";
import { SectionRail } from "@/components/page/SectionRail";
import { formatUtc } from "@/components/quantities";
import { hasEnded, OutcomeBadge } from "@/components/state/StateBadge";
import { hostsOf } from "@/features/campaigns/summary";
import { CompareWith } from "@/features/compare/SuggestedComparisons";
import { kindOf } from "@/features/kinds/registry";
import { RunAgain } from "@/features/launch/again/RunAgain";
import { NotesSection } from "@/features/notes/NotesSection";
import { RESULT_READ } from "@/features/overview/steps";
import { SamplesRemoved } from "@/features/runs/SamplesRemoved";
import { RunVerdictSection } from "@/features/verdicts/VerdictTable";
import { Conditions } from "./Conditions";
import classes from "./Result.module.css";

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
                <SectionRail>
                  <Suspense fallback={<Loading what="result" rows={12} />}>
                    <RunVerdictSection run={found} />
                    <RunResult result={loaded} run={found} />
                    <Conditions run={found} />
                    <Downloads run={found} />
                    <NotesSection of={{ kind: "run", id }} />
                  </Suspense>
                </SectionRail>
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
      aside={
        <OutcomeBadge outcome={run.verdict?.outcome} state={run.state} condition={run.condition} />
      }
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

/** Downloads: the figures as data, and the raw log. */
function Downloads({ run: { id, kind, raw_removed_at } }: { run: Run }) {
  const base = `/api/v1/runs/${id}`;
  const { csv, json } = kindOf({ kind }).downloads;
  const files = [
    [`${base}/result.md`, `run-${id}.md`, "Markdown", "table, finding and limitations as text"],
    [`${base}/result.csv`, `run-${id}.csv`, "CSV", csv],
    [`${base}/result`, `run-${id}.json`, "JSON", json],
    [
      `${base}/conditions.csv`,
      `run-${id}-conditions.csv`,
      "Conditions (CSV)",
      "settings, temperatures and health of each host at start and end",
    ],
    ...(raw_removed_at
      ? []
      : [
          [
            `${base}/events`,
            `run-${id}.ndjson`,
            "Raw event log",
            "all probe events, one per line",
          ] as const,
        ]),
  ] as const;
  return (
    <Section title="Downloads">
      <ul className={classes.files}>
        {files.map(([address, name, label, what]) => (
          <li key={address}>
            <a href={address} download={name}>
              {label}
            </a>
            <span className={classes.what}>{what}</span>
          </li>
        ))}
      </ul>
      {raw_removed_at ? (
        <p className={classes.what}>
          A retention rule removed the raw event log on {formatUtc(new Date(raw_removed_at))} UTC.
          The result was stored before, and stays.
        </p>
      ) : null}
    </Section>
  );
}

const CopyMenu = lazyRouteComponent(() => import("./CopyMenu"), "CopyMenu");

/** A button that copies a result as Markdown, image or link, or saves its picture. */
function CopyResult({ runId }: { runId: number }) {
  return (
    <PopoverButton label="Copy" title="Copy this result" width={240}>
      <Suspense fallback={<Loading what="ways to copy" rows={4} />}>
        <CopyMenu runId={runId} />
      </Suspense>
    </PopoverButton>
  );
}
