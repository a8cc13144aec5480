import type { FireTime } from "@/api/shapes";
import { RelativeTime } from "@/components/quantities";
import classes from "./Schedules.module.css";
import { adjustmentWords, fireTimeWords } from "./words";

/** Fire times on the clocks of the schedule's zone, with how long until then. */
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
