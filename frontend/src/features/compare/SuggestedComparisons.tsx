import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { suggestionsQuery } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";
import { PopoverButton } from "@/components/Buttons";
import { Resolved } from "@/components/feedback/Resolved";
import { RelativeTime } from "@/components/quantities";
import { hostsOf } from "@/features/campaigns/summary";
import classes from "./Compare.module.css";

/** Links to the comparisons that suggest themselves for a run; the first run of each is its base. */
export function SuggestedComparisons({ runId }: { runId: number }) {
  const query = useQuery(suggestionsQuery(runId));
  return (
    <Resolved query={query} what="earlier runs" rows={3}>
      {({ previous, elsewhere }) => (
        <ul className={classes.list}>
          <li>
            {previous ? (
              <Link to="/compare" search={{ runs: [previous.id, runId] }}>
                With the previous run of this target
              </Link>
            ) : (
              <span className={classes.none}>There is no earlier run of this target.</span>
            )}
            {previous ? <Details run={previous} /> : null}
          </li>
          <li>
            {elsewhere.length > 0 ? (
              <Link to="/compare" search={{ runs: [runId, ...elsewhere.map((run) => run.id)] }}>
                With the same profile on {otherHosts(elsewhere)}
              </Link>
            ) : (
              <span className={classes.none}>No other host has run this test of the profile.</span>
            )}
          </li>
        </ul>
      )}
    </Resolved>
  );
}

function Details({ run }: { run: RunSummary }) {
  return (
    <span className={classes.suggestionDetails}>
      {run.campaign_name}, <RelativeTime at={run.ended_at ?? run.created_at} />, run {run.id}
    </span>
  );
}

const MOST_NAMED = 3;

/** "web-2 and web-3", "7 other hosts" */
function otherHosts(runs: readonly RunSummary[]): string {
  if (runs.length > MOST_NAMED) return `${runs.length} other hosts`;
  return new Intl.ListFormat("en", { type: "conjunction" }).format(runs.map(hostsOf));
}

/** A button that leads from a run to its comparisons with others. */
export function CompareWith({ runId }: { runId: number }) {
  return (
    <PopoverButton label="Compare" title="Compare this run" width={320}>
      <SuggestedComparisons runId={runId} />
      <Link to="/compare" search={{ runs: [runId] }}>
        Select other runs
      </Link>
    </PopoverButton>
  );
}
