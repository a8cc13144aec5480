import { Progress } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Campaign } from "@/api/shapes";
import { count, formatDuration, RelativeTime } from "@/components/quantities";
import classes from "./CampaignSummary.module.css";

/** The campaign as a whole: trials done, time left, who launched what. */
export function CampaignSummary({ campaign }: { campaign: Campaign }) {
  const { done, total, leftS } = progressOf(campaign);
  const percent = total > 0 ? (done / total) * 100 : 0;
  return (
    <div className={classes.summary}>
      <p className={classes.figures}>
        <span className={classes.figure}>
          <span className={classes.value}>{count(done)}</span> of {count(total)} trials
        </span>
        {leftS === null ? null : (
          <span className={classes.figure}>
            <span className={classes.value}>{formatDuration(leftS)}</span> left
          </span>
        )}
      </p>
      <Progress
        value={percent}
        size="sm"
        color="var(--running)"
        aria-label={`${done} of ${total} trials done`}
      />
      <p className={classes.origin}>
        <Link to="/profiles/$id" params={{ id: campaign.profile.id }}>
          {campaign.profile.name}, version {campaign.profile.version}
        </Link>
        ; launched <RelativeTime at={campaign.created_at} />
        {campaign.created_by ? ` by ${campaign.created_by}` : null}
        {campaign.ended_at ? (
          <>
            ; ended <RelativeTime at={campaign.ended_at} />
          </>
        ) : null}
      </p>
    </div>
  );
}

/** Trials of all runs, and the longest time that any host still needs; null when none can tell. */
export function progressOf({ runs }: Campaign): {
  done: number;
  total: number;
  leftS: number | null;
} {
  const perHost = new Map<number, number>();
  for (const run of runs) {
    if (run.eta_s !== null) {
      perHost.set(run.host.id, (perHost.get(run.host.id) ?? 0) + run.eta_s);
    }
  }
  return {
    done: runs.reduce((sum, run) => sum + run.trials_done, 0),
    total: runs.reduce((sum, run) => sum + run.trials_total, 0),
    leftS: perHost.size > 0 ? Math.max(...perHost.values()) : null,
  };
}
