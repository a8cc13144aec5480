import { Link } from "@tanstack/react-router";
import type { LatestResult } from "@/api/shapes";
import { Empty } from "@/components/feedback/Notices";
import { RelativeTime, shortLevels, splitPart, useRateUnit } from "@/components/quantities";
import { Sparkline } from "@/components/Sparkline";
import { StateBadge } from "@/components/state/StateBadge";
import { restText } from "@/features/kinds/results";
import classes from "./Overview.module.css";
import { Place } from "./Place";

/** The latest results, two lines each: verdict, place, headline figure and sparkline. */
export function LatestResults({ latest }: { latest: LatestResult[] }) {
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
          <p className={classes.title}>
            <Link to="/runs/$id" params={{ id: result.run_id }}>
              {result.name}: {result.title}
            </Link>
          </p>
          <p className={classes.meta}>
            {result.verdict ? <StateBadge state={result.verdict.outcome} /> : null}
            <Place of={result} />
            <RelativeTime at={result.ended_at} />
          </p>
          <Finding of={result} />
        </li>
      ))}
    </ul>
  );
}

/** Sparkline and figure of the headline, or its levels, and what is in doubt; or why there is none. */
function Finding({ of: result }: { of: LatestResult }) {
  const { unit } = useRateUnit();
  const { headline, headline_levels } = result;
  if (headline === null) return <p className={classes.figure}>–</p>;
  const { figure, doubt } = headline.words;
  if (figure === null && headline_levels === null) {
    const reason = restText(headline, unit);
    return (
      <p className={classes.noFigure} title={reason}>
        {reason}
      </p>
    );
  }
  const quantity = figure && splitPart(figure, unit);
  return (
    <>
      <Sparkline
        values={result.sparkline_bytes_per_s}
        label={`Throughput of the best trial of ${result.title}`}
      />
      <p className={classes.figure} data-doubtful={doubt ? true : undefined}>
        {quantity ? (
          <>
            {quantity.value} <small>{quantity.unit}</small>
          </>
        ) : (
          <small>{shortLevels(headline_levels ?? [], unit)}</small>
        )}
      </p>
      {doubt ? (
        <p className={classes.doubt} title={doubt}>
          {doubt}
        </p>
      ) : null}
    </>
  );
}
