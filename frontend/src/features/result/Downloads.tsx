import type { Run } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import { formatUtc } from "@/components/quantities";
import { kindOf } from "@/features/kinds/registry";
import classes from "./Downloads.module.css";

/** Downloads: the figures as data, and the raw log. */
export function Downloads({ run: { id, kind, raw_removed_at } }: { run: Run }) {
  const base = `/api/v1/runs/${id}`;
  const { csv, json } = kindOf({ kind }).downloads;
  const files = [
    [`${base}/result.md`, `run-${id}.md`, "Markdown", "table, finding and limitations as text"],
    [`${base}/result.csv`, `run-${id}.csv`, "CSV", csv],
    [`${base}/result`, `run-${id}.json`, "JSON", json],
    [
      `${base}/conditions.csv`,
      `run-${id}-conditions.csv`,
      "Conditions (CSV)",
      "settings, temperatures and health of each host at start and end",
    ],
    ...(raw_removed_at
      ? []
      : [
          [
            `${base}/events`,
            `run-${id}.ndjson`,
            "Raw event log",
            "all probe events, one per line",
          ] as const,
        ]),
  ] as const;
  return (
    <Section title="Downloads">
      <ul className={classes.files}>
        {files.map(([address, name, label, what]) => (
          <li key={address}>
            <a href={address} download={name}>
              {label}
            </a>
            <span className={classes.what}>{what}</span>
          </li>
        ))}
      </ul>
      {raw_removed_at ? (
        <p className={classes.what}>
          A retention rule removed the raw event log on {formatUtc(new Date(raw_removed_at))} UTC.
          The result was stored before, and stays.
        </p>
      ) : null}
    </Section>
  );
}
