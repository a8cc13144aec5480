import type { FireTime } from "@/api/shapes";
import { RelativeTime } from "@/components/quantities";
import classes from "./Schedules.module.css";
import { adjustmentWords, fireTimeWords } from "./schedules";

const SHOWN_SKIPPED = 3;

/** The fire times that blackouts skip, as a sentence. */
export function SkippedTimes({ times }: { times: readonly FireTime[] }) {
  if (times.length === 0) return null;
  const shown = times.slice(0, SHOWN_SKIPPED).map(fireTimeWords).join("; ");
  const more = times.length - SHOWN_SKIPPED;
  return (
    <p className={classes.hint}>
      Skipped by blackouts: {shown}
      {more > 0 ? `; ${more} more` : ""}
    </p>
  );
}

/** Fire times in the schedule's zone, with how long until then. */
export function FireTimes({ times, label }: { times: readonly FireTime[]; label: string }) {
  return (
    <ol className={classes.times} aria-label={label}>
      {times.map((one) => {
        const why = adjustmentWords(one);
        return (
          <li key={one.at}>
            <span className={classes.time}>{fireTimeWords(one)}</span>
            <span className={classes.relative}>
              <RelativeTime at={one.at} />
            </span>
            {why ? <span className={classes.why}>{why}</span> : null}
          </li>
        );
      })}
    </ol>
  );
}
