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
import { activityOf, isSyncing, trialsDone } from "@/features/campaigns/summary";
import { kindOf } from "@/features/kinds/registry";
import { FoldedRows } from "./FoldedRows";
import classes from "./Overview.module.css";
import { Place } from "./Place";

const MOST_SHOWN = 3;

/** Each active run with its progress, remaining time and rate, or why there is none, a single one
 * with its partial result; then the queued runs with what they wait for. */
export function RunningNow({ running, queued }: { running: RunSummary[]; queued: RunSummary[] }) {
  const [first, ...others] = running;
  if (running.length === 0 && queued.length === 0) {
    return <Empty title="No active runs">Runs appear here while they are queued or running.</Empty>;
  }
  return (
    <>
      <FoldedRows
        rows={running.map((run) => <ActiveRun key={run.id} run={run} />)}
        most={MOST_SHOWN}
        what="active runs"
      />
      {first && others.length === 0 ? (
        <div className={classes.filling}>
          <LiveView run={first} />
        </div>
      ) : null}
      <FoldedRows
        rows={queued.map((run) => <QueuedRun key={run.id} run={run} />)}
        most={MOST_SHOWN}
        what="queued runs"
      />
    </>
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
        {run.campaign_name}: {run.title}
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
  return isSyncing(run) ? "final sync" : "no rate yet";
}

function ActiveRun({ run }: { run: RunSummary }) {
  const { unit } = useRateUnit();
  const now = useNow();
  const bytesPerS = run.current?.rate_bytes_per_s;
  const rate = bytesPerS == null || isSyncing(run) ? null : splitRate(bytesPerS, unit);
  const activity = rate || run.state_reason ? null : activityOf(run);
  return (
    <li className={classes.run}>
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
      <p className={classes.meta}>
        <StateBadge state={run.state} condition={run.condition} />
        <Place of={run} />
      </p>
      <p className={classes.left}>
        {run.trials_done} of {run.trials_total} trials
        {run.eta_s === null ? null : `, ${leftOf(run.eta_s)} left`}
      </p>
      <ProgressBar
        done={trialsDone(run, now)}
        of={run.trials_total}
        label={`Progress of ${run.title}`}
      />
      {activity ? (
        <p className={classes.activity} title={activity}>
          {activity}
        </p>
      ) : null}
      {run.state_reason ? (
        <div className={classes.reason}>
          <Notice>
            <span className={classes.clamped} title={run.state_reason}>
              {run.state_reason}
            </span>
          </Notice>
        </div>
      ) : null}
    </li>
  );
}

function QueuedRun({ run }: { run: RunSummary }) {
  return (
    <li className={classes.run}>
      <RunTitle run={run} />
      <p className={classes.left}>
        launched <RelativeTime at={run.created_at} />
      </p>
      <p className={classes.meta}>
        <StateBadge state={run.state} />
        <Place of={run} />
      </p>
      {run.waits_for ? (
        <p className={classes.waits} title={run.waits_for.what}>
          {run.waits_for.what}
        </p>
      ) : null}
    </li>
  );
}
