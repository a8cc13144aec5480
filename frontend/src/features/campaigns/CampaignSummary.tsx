import { Link } from "@tanstack/react-router";
import type { Campaign, RunSummary } from "@/api/shapes";
import { ProgressBar } from "@/components/ProgressBar";
import { count, formatGuess, RelativeTime, useNow } from "@/components/quantities";
import { isBeforeFirstTrial } from "@/components/state/StateBadge";
import classes from "./Campaigns.module.css";
import { trialsDone } from "./summary";

/** The campaign's progress: trials done, time left, launched by. */
export function CampaignSummary({ campaign }: { campaign: Campaign }) {
  const now = useNow();
  const { done, total, leftS } = progressOf(campaign);
  const shown = campaign.runs.reduce((sum, run) => sum + trialsDone(run, now), 0);
  return (
    <div className={classes.summary}>
      <p className={classes.figures}>
        <span className={classes.figure}>
          <span className={classes.value}>{count(done)}</span>{" "}
          {/* a space for readers of the text: the layout has a gap */}
          <span>of {count(total)} trials</span>
        </span>
        {leftS === null ? null : (
          <span className={classes.figure}>
            <TimeLeft seconds={leftS} /> <span>left</span>
          </span>
        )}
      </p>
      <ProgressBar done={shown} of={total} label={`${done} of ${total} trials done`} />
      <p className={classes.origin}>
        <Link to="/profiles/$id" params={{ id: campaign.profile.id }}>
          {campaign.profile.name}, version {campaign.profile.version}
        </Link>
        ; launched <RelativeTime at={campaign.created_at} />
        {campaign.created_by ? ` by ${campaign.created_by}` : null}
        {campaign.schedule_id ? (
          <>
            {" "}
            (
            <Link to="/schedules/$id" params={{ id: campaign.schedule_id }}>
              schedule
            </Link>
            )
          </>
        ) : null}
        {campaign.ended_at ? (
          <>
            ; ended <RelativeTime at={campaign.ended_at} />
          </>
        ) : null}
        {campaign.seen_at && !campaign.needs_attention ? (
          <>
            ; failure seen <RelativeTime at={campaign.seen_at} /> by {campaign.seen_by}
          </>
        ) : null}
      </p>
    </div>
  );
}

/** "1 min 15 s", the numbers large and the units small. */
function TimeLeft({ seconds }: { seconds: number }) {
  return formatGuess(seconds)
    .split(/\s/)
    .map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: numbers and units alternate
      <span key={index} className={index % 2 === 0 ? classes.value : undefined}>
        {index > 0 ? " " : ""}
        {part}
      </span>
    ));
}

/**
 * Trials of all runs, and the maximum remaining time of any host; null if unknown. A run that has
 * not started is assumed to need as much time per trial as the others of its campaign.
 */
export function progressOf({ runs }: Campaign): {
  done: number;
  total: number;
  leftS: number | null;
} {
  const paces = runs.map(secondsPerTrial).filter((pace) => pace !== null);
  const usual = paces.length > 0 ? paces.reduce((a, b) => a + b) / paces.length : null;
  const perHost = new Map<number, number>();
  for (const run of runs) {
    const needs =
      run.eta_s ??
      (isBeforeFirstTrial(run.state) && usual !== null ? usual * run.trials_total : null);
    if (needs === null) continue;
    for (const host of new Set(run.participants.map((one) => one.host.id))) {
      perHost.set(host, (perHost.get(host) ?? 0) + needs);
    }
  }
  return {
    done: runs.reduce((sum, run) => sum + run.trials_done, 0),
    total: runs.reduce((sum, run) => sum + run.trials_total, 0),
    leftS: perHost.size > 0 ? Math.max(...perHost.values()) : null,
  };
}

/**
 * The duration of a trial of the run, from its progress or its remaining time; null before either
 * is known.
 */
function secondsPerTrial(run: RunSummary): number | null {
  const { eta_s, trials_done, trials_total, started_at, ended_at } = run;
  if (eta_s !== null && trials_done < trials_total) return eta_s / (trials_total - trials_done);
  if (started_at === null || ended_at === null || trials_done === 0) return null;
  return (Date.parse(ended_at) - Date.parse(started_at)) / 1000 / trials_done;
}
