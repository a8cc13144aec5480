import { Section } from "@/components/page/Section";
import classes from "./Downloads.module.css";

/** The same figures for other programs, and the record from which they were made. */
export function Downloads({ runId }: { runId: number }) {
  const base = `/api/v1/runs/${runId}`;
  const files = [
    [`${base}/result.csv`, `run-${runId}.csv`, "CSV", "the matrix, one row per cell"],
    [`${base}/result`, `run-${runId}.json`, "JSON", "the matrix with all trials"],
    [`${base}/events`, `run-${runId}.ndjson`, "Raw event log", "all probe events, one per line"],
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
    </Section>
  );
}
