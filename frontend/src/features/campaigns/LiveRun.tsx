import { Suspense, useState } from "react";
import type { RunSummary } from "@/api/shapes";
import { Loading } from "@/components/feedback/Resolved";
import { formatRate, type RateUnit, useRateUnit } from "@/components/quantities";
import { hasEnded } from "@/components/state/StateBadge";
import { kindOf } from "@/features/kinds/registry";
import { participantLabels } from "@/features/samples/participantLabels";
import classes from "./Campaigns.module.css";
import { isInSync, type LiveTrial } from "./feed";
import { LiveStrip } from "./LiveStrip";
import { type Current, hasMoved, wordsOf } from "./summary";

/** An expanded run: its kind's view of it so far, and the current trial. */
export function LiveRun({ run, live }: { run: RunSummary; live: readonly LiveTrial[] }) {
  const { unit } = useRateUnit();
  const { current } = run;
  const kind = kindOf(run);
  // a participant that has begun the next trial is ahead of the others
  const shown = live[0] ? Math.max(...live.map(({ trialId }) => trialId)) : current?.trial_id;
  const isCurrent = current !== null && current.trial_id === shown;
  // Strip and caption keep the previous trial until the new one's first sample arrives.
  const [drawn, setDrawn] = useState(current);
  if (isCurrent && drawn !== current) setDrawn(current);
  const labels = participantLabels(
    run.participants.map(({ host, target, role }) => ({
      host: host.name,
      path: target?.path ?? null,
      role,
    })),
  );
  const courses = run.participants.flatMap(({ id, host, role }, index) => {
    if (kind.isObserved && role === "sender") return [];
    const points = live.find((one) => one.participantId === id && one.trialId === shown)?.points;
    return { name: labels[index] ?? host.name, counts: role !== "sender", points };
  });
  const begun = courses.filter(({ points }) => points !== undefined);
  const syncing = begun.length > 0 && begun.every(isInSync);
  return (
    <div className={classes.live}>
      <Suspense fallback={<Loading what="run" rows={6} />}>
        <kind.Live run={run} />
      </Suspense>
      {shown === undefined || hasEnded(run.state) ? null : (
        <div className={classes.trial}>
          <p className={classes.words}>
            {drawn?.trial_id === shown
              ? `${kind.trialWords(drawn.parameters)}, repeat ${drawn.repeat}: ${isCurrent ? progressWords(wordsOf(run).done, drawn, unit, syncing) : "ended"}`
              : "New trial started"}
          </p>
          <LiveStrip
            trialId={shown}
            courses={courses}
            unit={unit}
            hasLatencies={!kind.isObserved}
          />
        </div>
      )}
    </div>
  );
}

/**
 * The progress and rate of the current trial; when all data is written, that the sync is in
 * progress.
 */
function progressWords(done: string, current: Current, unit: RateUnit, syncing: boolean): string {
  const { bytes, total_bytes, rate_bytes_per_s } = current;
  if (syncing || hasMoved(current)) {
    const isSynced = syncing || done === "written";
    return `all data ${done}${isSynced ? ", final sync in progress" : ""}`;
  }
  const share = total_bytes
    ? `${Math.floor((bytes / total_bytes) * 100)}\u00a0% ${done}`
    : "started";
  return rate_bytes_per_s === null ? share : `${share}, now ${formatRate(rate_bytes_per_s, unit)}`;
}
