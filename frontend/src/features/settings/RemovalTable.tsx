import { Link } from "@tanstack/react-router";
import type { RetentionPreview } from "@/api/shapes";
import { formatBytes, RelativeTime } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import classes from "./Retention.module.css";

interface RemovalTableProps {
  title: string;
  removal: NonNullable<RetentionPreview["campaigns"]>;
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;

/** What a rule removes: counts, bytes, and the oldest objects. */
export function RemovalTable({ title, removal }: RemovalTableProps) {
  const { campaigns, runs, bytes, items } = removal;
  if (campaigns === 0)
    return (
      <p>
        <strong>{title}:</strong> nothing is old enough now.
      </p>
    );
  const ofRuns = items.some(({ run_id }) => run_id !== null);
  const all = ofRuns ? runs : campaigns;
  return (
    <div className={classes.removal}>
      <p>
        <strong>{title}:</strong> {formatBytes(bytes)} of {counted(runs, "run")} in{" "}
        {counted(campaigns, "campaign")}
        {all > items.length ? `; the ${items.length} oldest:` : ":"}
      </p>
      <FigureTable caption={title}>
        <thead>
          <tr>
            <th scope="col">{ofRuns ? "Run" : "Campaign"}</th>
            <th scope="col">Ended</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ campaign_id, campaign, run_id, test, ended_at, bytes: size }) => (
            <tr key={run_id ?? campaign_id}>
              <th scope="row">
                {run_id === null ? (
                  <Link to="/campaigns/$id" params={{ id: campaign_id }}>
                    {campaign_id} {campaign}
                  </Link>
                ) : (
                  <Link to="/runs/$id" params={{ id: run_id }}>
                    {run_id} {test} ({campaign})
                  </Link>
                )}
              </th>
              <td>
                <RelativeTime at={ended_at} />
              </td>
              <td>{formatBytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
    </div>
  );
}
