import type { RunSummary } from "@/api/shapes";
import { formatBytes, formatDuration, useNow } from "@/components/quantities";
import { hasEnded } from "@/components/state/states";

/** How far a run is: its trial, the data written, the time left and the projected end. */
export function LiveSustained({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const now = useNow();
  const { current, eta_s: left, trials_done, trials_total } = run;
  if (hasEnded(run.state)) return null;
  const parts: string[] = [];
  if (trials_total > 1) {
    parts.push(`Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`);
  }
  if (current) {
    const total = current.total_bytes ? ` of ${formatBytes(current.total_bytes)}` : "";
    parts.push(`${formatBytes(current.bytes)}${total} written`);
  }
  if (left !== null) {
    parts.push(`about ${formatDuration(left)} left`);
    if (!compact) {
      const end = new Date(now.getTime() + left * 1000);
      parts.push(`ends about ${end.toLocaleString(undefined, endFormat(left))}`);
    }
  }
  return <p>{parts.length > 0 ? parts.join(", ") : "No data has been written."}</p>;
}

const DAY_S = 86_400;

/** The time of day; with the date if it is more than a day away. */
const endFormat = (left: number): Intl.DateTimeFormatOptions =>
  left < DAY_S
    ? { hour: "2-digit", minute: "2-digit" }
    : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };
