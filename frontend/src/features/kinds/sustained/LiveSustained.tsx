import { lazy, Suspense } from "react";
import type { RunSummary } from "@/api/shapes";
import { Loading } from "@/components/feedback/Resolved";
import { formatBytes, useNow } from "@/components/quantities";
import { hasEnded } from "@/components/state/StateBadge";
import type { Place } from "./LiveMarks";
import classes from "./Sustained.module.css";
import { doneWord, type Operation, operationOfRole, operationsOfRun, ROLES } from "./sustained";

// The overview, which shows no chart, does without its code.
const loadMarks = () => import("./LiveMarks");
const LiveMarks = lazy(async () => ({ default: (await loadMarks()).LiveMarks }));
const EndedTrial = lazy(async () => ({ default: (await loadMarks()).EndedTrial }));

/** How far a run is, and the trial that it measures or, once it has ended, its typical one. */
export function LiveSustained({ run, compact }: { run: RunSummary; compact?: boolean }) {
  if (compact) return <Progress run={run} />;
  const places = placesOf(run);
  if (hasEnded(run.state)) {
    if (!run.headline) return null;
    return (
      <div className={classes.view}>
        <Suspense fallback={<Loading what="chart" rows={14} />}>
          <EndedTrial runId={run.id} places={places} />
        </Suspense>
      </div>
    );
  }
  return (
    <div className={classes.view}>
      <Progress run={run} end />
      {run.current ? (
        <Suspense fallback={<Loading what="chart" rows={14} />}>
          <LiveMarks trialId={run.current.trial_id} places={places} running />
        </Suspense>
      ) : null}
    </div>
  );
}

/** The trial, the data moved and, with `end`, the projected end; its row shows the time left. */
function Progress({ run, end }: { run: RunSummary; end?: boolean }) {
  const now = useNow();
  const { current, eta_s: left, trials_done, trials_total } = run;
  const operations = operationsOfRun(run);
  const done = operations.map(doneWord).join(" or ");
  const parts: string[] = [];
  if (trials_total > 1) {
    parts.push(`Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`);
  }
  if (current) {
    const total = current.total_bytes ? ` of ${formatBytes(current.total_bytes)}` : "";
    if (operations.length > 1) {
      parts.push(...operations.map((one) => `${formatBytes(movedIn(run, one))} ${doneWord(one)}`));
    } else {
      parts.push(`${formatBytes(current.bytes)}${total} ${done}`);
    }
  }
  if (end && left !== null) {
    const at = new Date(now.getTime() + left * 1000);
    parts.push(`ends about ${at.toLocaleString(undefined, endFormat(left))}`);
  }
  return <p>{parts.length > 0 ? parts.join(", ") : `No data has been ${done}.`}</p>;
}

/** The targets of a run, each with its writer, its reader or both. */
function placesOf({ participants }: RunSummary): Place[] {
  const found = new Map<string, Place["parts"]>();
  for (const { id, host, target, role } of participants) {
    const name = `${host.name} ${target?.path ?? ""}`.trim();
    const operation = operationOfRole(role);
    found.set(name, [...(found.get(name) ?? []), { operation, participant: id }]);
  }
  return [...found].map(([name, parts]) => ({ name, parts }));
}

/** The bytes that a run's writers or readers have moved in the current trial. */
function movedIn({ participants, current }: RunSummary, operation: Operation): number {
  const own = participants.filter(({ role }) => role === ROLES[operation]).map(({ id }) => id);
  const parts = current?.participants.filter(({ participant_id: id }) => own.includes(id)) ?? [];
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

const DAY_S = 86_400;

/** The time of day; with the date if it is more than a day away. */
const endFormat = (left: number): Intl.DateTimeFormatOptions =>
  left < DAY_S
    ? { hour: "2-digit", minute: "2-digit" }
    : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
