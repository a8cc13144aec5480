import type { Host } from "@/api/shapes";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./Hosts.module.css";

/** A host above the choice of its targets: why they cannot be chosen, or that they are in use. */
export function HostLegend({ host }: { host: Host }) {
  return (
    <legend className={classes.host}>
      {host.name}
      {host.state === "ready" ? null : <StateBadge state={host.state} />}
      {host.busy_run_id ? <span className={classes.busy}>busy; runs will be queued</span> : null}
    </legend>
  );
}
