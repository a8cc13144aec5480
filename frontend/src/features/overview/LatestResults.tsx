import { Link } from "@tanstack/react-router";
import type { LatestResult } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { RelativeTime, splitRate, useRateUnit } from "@/components/quantities";
import { Sparkline } from "@/components/Sparkline";
import { StateBadge } from "@/components/state/StateBadge";
import { whereOf } from "@/features/campaigns/summary";
import { kindOf } from "@/features/kinds/registry";
import classes from "./Overview.module.css";

/** The latest results: verdict, headline figure, sparkline and the rest of the headline. */
export function LatestResults({ latest }: { latest: LatestResult[] }) {
  const { unit } = useRateUnit();
  if (latest.length === 0) {
    return (
      <Empty title="No results yet">
        Results appear here when runs finish. <Link to="/hosts/new">Add a host</Link> or{" "}
        <Link to="/launch">launch a campaign</Link>.
      </Empty>
    );
  }
  return (
    <ul className={classes.rows}>
      {latest.map((result) => (
        <li key={result.run_id} className={classes.result}>
          <div>
            <p className={classes.title}>
              <Link to="/runs/$id" params={{ id: result.run_id }}>
                {result.name}: {result.title}
              </Link>
              {result.verdict ? <StateBadge state={result.verdict.outcome} /> : null}
            </p>
            <p className={classes.where}>
              {whereOf(result)}, <RelativeTime at={result.ended_at} />
            </p>
          </div>
          <Sparkline
            values={result.sparkline_bytes_per_s}
            label={`Throughput of the best trial of ${result.title}`}
          />
          {result.headline && result.headline_levels ? (
            <p className={classes.headline}>{kindOf(result).headline(result.headline, unit)}</p>
          ) : (
            <>
              <Figure bytesPerS={result.best_bytes_per_s} />
              {result.headline ? (
                <p className={classes.headline}>
                  {kindOf(result).headlineRest(result.headline, unit)}
                </p>
              ) : null}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Figure({ bytesPerS }: { bytesPerS: number | null }) {
  const { unit } = useRateUnit();
  if (bytesPerS === null) return <p className={classes.figure}>–</p>;
  const { value, unit: shown } = splitRate(bytesPerS, unit);
  return (
    <p className={classes.figure}>
      {value} <small>{shown}</small>
    </p>
  );
}
