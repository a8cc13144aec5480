import { explained } from "@/api/problem";
import type { Host } from "@/api/shapes";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./CheckProgress.module.css";

/** The progress or failure of a host's check; `HostKeyApproval` handles unapproved keys. */
export function CheckProgress({ host }: { host: Host }) {
  const { check } = host;
  if (!check) return null;
  if (check.state === "queued" || check.state === "running") {
    return (
      <p role="status">
        <StateBadge state={check.state} word={check.step ?? "checking"} />
      </p>
    );
  }
  const keyInDoubt = host.state === "key_unapproved" || host.state === "key_changed";
  if (check.state !== "failed" || !check.error || keyInDoubt) return null;
  return (
    <div className={classes.failed} role="alert">
      <StateBadge state="failed" word={check.error.title} />
      <p>{explained(check.error.detail)}</p>
      {check.error.remedy ? <p>{check.error.remedy}</p> : null}
    </div>
  );
}
