import type { RunSummary } from "@/api/shapes";
import { formatBytes, useNow } from "@/components/quantities";
import { hasEnded } from "@/components/state/states";
import { EndedTrial, LiveMarks } from "./LiveMarks";
import classes from "./LiveSustained.module.css";
import { doneWord, operationOfRun } from "./words";

/** How far a run is, and the trial that it measures or, once it has ended, its typical one. */
export function LiveSustained({ run, compact }: { run: RunSummary; compact?: boolean }) {
  if (compact) return <Progress run={run} />;
  const participants = run.participants.map(({ id, host, target }) => ({
    id,
    name: `${host.name} ${target?.path ?? ""}`.trim(),
  }));
  if (hasEnded(run.state)) {
    if (!run.headline) return null;
    return (
      <div className={classes.view}>
        <EndedTrial runId={run.id} participants={participants} />
      </div>
    );
  }
  return (
    <div className={classes.view}>
      <Progress run={run} end />
      {run.current ? (
        <LiveMarks
          operation={operationOfRun(run)}
          trialId={run.current.trial_id}
          participants={participants}
          running
        />
      ) : null}
    </div>
  );
}

/** The trial, the data moved and, with `end`, the projected end; its row shows the time left. */
function Progress({ run, end }: { run: RunSummary; end?: boolean }) {
  const now = useNow();
  const { current, eta_s: left, trials_done, trials_total } = run;
  const done = doneWord(operationOfRun(run));
  const parts: string[] = [];
  if (trials_total > 1) {
    parts.push(`Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`);
  }
  if (current) {
    const total = current.total_bytes ? ` of ${formatBytes(current.total_bytes)}` : "";
    parts.push(`${formatBytes(current.bytes)}${total} ${done}`);
  }
  if (end && left !== null) {
    const at = new Date(now.getTime() + left * 1000);
    parts.push(`ends about ${at.toLocaleString(undefined, endFormat(left))}`);
  }
  return <p>{parts.length > 0 ? parts.join(", ") : `No data has been ${done}.`}</p>;
}

const DAY_S = 86_400;

/** The time of day; with the date if it is more than a day away. */
const endFormat = (left: number): Intl.DateTimeFormatOptions =>
  left < DAY_S
    ? { hour: "2-digit", minute: "2-digit" }
    : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
