import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import type { RunSummary } from "@/api/shapes";
import { Empty, Notice } from "@/components/feedback/Notices";
import { Loading } from "@/components/feedback/Resolved";
import { ProgressBar } from "@/components/ProgressBar";
import {
  formatDuration,
  RelativeTime,
  splitRate,
  useNow,
  useRateUnit,
} from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import { activityOf, isSyncing, trialsDone, whereOf } from "@/features/campaigns/summary";
import { kindOf } from "@/features/kinds/registry";
import classes from "./Overview.module.css";

/** Each active run with its progress, remaining time and rate, or why there is none, the first with
 * its partial result; then the queued runs with what they wait for. */
export function RunningNow({ running, queued }: { running: RunSummary[]; queued: RunSummary[] }) {
  if (running.length === 0 && queued.length === 0) {
    return <Empty title="No active runs">Runs appear here while they are queued or running.</Empty>;
  }
  return (
    <ul className={classes.rows}>
      {running.map((run, index) => (
        <li key={run.id}>
          <ActiveRun run={run} />
          {index === 0 ? (
            <div className={classes.filling}>
              <LiveView run={run} />
            </div>
          ) : null}
        </li>
      ))}
      {queued.map((run) => (
        <li key={run.id}>
          <QueuedRun run={run} />
        </li>
      ))}
    </ul>
  );
}

function LiveView({ run }: { run: RunSummary }) {
  const kind = kindOf(run);
  return (
    <Suspense fallback={<Loading what="run" rows={4} />}>
      <kind.Live run={run} compact />
    </Suspense>
  );
}

function RunTitle({ run }: { run: RunSummary }) {
  return (
    <p className={classes.title}>
      <Link to="/campaigns/$id" params={{ id: run.campaign_id }}>
        {run.title}
      </Link>
    </p>
  );
}

/** An estimate has no fractions of a second. */
const leftOf = (seconds: number): string =>
  seconds < 10 ? "a few seconds" : `about ${formatDuration(seconds)}`;

/** Why an active run has no rate at this moment. */
function absence(run: RunSummary): string {
  if (run.state_reason) return "no current rate";
  const activity = activityOf(run);
  if (activity) return activity;
  return isSyncing(run) ? "final sync" : "no rate yet";
}

function ActiveRun({ run }: { run: RunSummary }) {
  const { unit } = useRateUnit();
  const now = useNow();
  const bytesPerS = run.current?.rate_bytes_per_s;
  const rate = bytesPerS == null || isSyncing(run) ? null : splitRate(bytesPerS, unit);
  return (
    <div className={classes.run}>
      <RunTitle run={run} />
      <p className={classes.rate}>
        {rate ? (
          <>
            {rate.value} <small>{rate.unit}</small>
          </>
        ) : (
          <small>{absence(run)}</small>
        )}
      </p>
      <p className={classes.where}>{whereOf(run)}</p>
      <ProgressBar
        done={trialsDone(run, now)}
        of={run.trials_total}
        label={`Progress of ${run.title}`}
      />
      <p className={classes.foot}>
        <StateBadge state={run.state} condition={run.condition} />
        <span>
          {run.trials_done} of {run.trials_total} trials
          {run.eta_s === null ? null : `, ${leftOf(run.eta_s)} left`}
        </span>
      </p>
      {run.state_reason ? (
        <div className={classes.reason}>
          <Notice>{run.state_reason}</Notice>
        </div>
      ) : null}
    </div>
  );
}

function QueuedRun({ run }: { run: RunSummary }) {
  return (
    <div className={classes.run}>
      <RunTitle run={run} />
      <StateBadge state={run.state} />
      <p className={classes.where}>{whereOf(run)}</p>
      <p className={classes.foot}>
        <span>
          {run.waits_for ? `Queued: ${run.waits_for.what}` : "Queued"}; launched{" "}
          <RelativeTime at={run.created_at} />
        </span>
      </p>
    </div>
  );
}
