import {
  count,
  formatLatency,
  formatRate,
  formatRecordRate,
  formatShare,
  type RateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import table from "@/components/table/FigureTable.module.css";
import classes from "@/features/kinds/ResultParts.module.css";
import type {
  RecordCounts,
  Records,
  RecordsSender,
  RecordsTrial,
} from "@/features/kinds/records/records";

interface SenderTableProps {
  records: Records;
  trial: RecordsTrial;
  unit: RateUnit;
}

/** What became of the records of each sender, and its share of the rate. */
export function SenderTable({ records, trial, unit }: SenderTableProps) {
  const names = new Map(records.participants.map(({ id, host }) => [id, host]));
  const isSlowest = ({ participant_id }: RecordsSender) =>
    participant_id === trial.slowest_participant_id && (trial.fairness ?? 0) < EVEN;
  return (
    <>
      <FigureTable caption="Records of each sender">
        <thead>
          <tr>
            <th scope="col">Sender</th>
            <th scope="col">Records</th>
            <th scope="col">Payload</th>
            <th scope="col">Share</th>
            <th scope="col">Sent</th>
            <th scope="col">Acknowledged</th>
            <th scope="col">Intact</th>
            <th scope="col">Missing</th>
            <th scope="col">Wrong</th>
            <th scope="col">Duplicate</th>
            <th scope="col">Lost</th>
            <th scope="col">Checksum</th>
            <th scope="col">Start delay</th>
          </tr>
        </thead>
        <tbody>
          {trial.senders.map((sender) => (
            <tr key={sender.participant_id}>
              <th scope="row" className={table.name}>
                {names.get(sender.participant_id)}
                {isSlowest(sender) ? ", slowest" : null}
                {sender.status === "complete" || !sender.reason ? null : `: ${sender.reason}`}
              </th>
              <td>
                {sender.records_per_s === null ? "–" : formatRecordRate(sender.records_per_s)}
              </td>
              <td>{sender.bytes_per_s === null ? "–" : formatRate(sender.bytes_per_s, unit)}</td>
              <td>{sender.share === null ? "–" : formatShare(sender.share)}</td>
              <Counts counts={sender.counts} />
              <td>{CHECKSUM[String(sender.digest_agrees)]}</td>
              <td>{sender.start_delay_ns === null ? "–" : formatLatency(sender.start_delay_ns)}</td>
            </tr>
          ))}
          {trial.senders.length > 1 ? (
            <tr>
              <th scope="row">All</th>
              <td>{trial.records_per_s === null ? "–" : formatRecordRate(trial.records_per_s)}</td>
              <td>{trial.bytes_per_s === null ? "–" : formatRate(trial.bytes_per_s, unit)}</td>
              <td>–</td>
              <Counts counts={trial.counts} />
              <td>–</td>
              <td>–</td>
            </tr>
          ) : null}
        </tbody>
      </FigureTable>
      <p className={classes.senders}>
        {[
          trial.fairness === null ? null : `Jain's fairness index ${trial.fairness.toFixed(3)}.`,
          "Rates cover the window; counts cover the whole trial, including its warm-up.",
          storedWords(trial),
        ]
          .filter(Boolean)
          .join(" ")}
      </p>
    </>
  );
}

/** From this index on, which is shown as 1.000, no sender is slower to speak of. */
const EVEN = 0.9995;

const CHECKSUM: Record<string, string> = { true: "agrees", false: "differs", null: "–" };

function Counts({ counts }: { counts: RecordCounts | null }) {
  const shown = (
    ["sent", "acknowledged", "intact", "missing", "wrong", "duplicate", "lost"] as const
  ).map((name) => [name, countText(counts?.[name] ?? null)] as const);
  return shown.map(([name, text]) => <td key={name}>{text}</td>);
}

const countText = (number: number | null): string => (number === null ? "–" : count(number));

/** What reading the file back has found, or why it was not read to its end. */
function storedWords({ counts, file_wrong, read_back_error }: RecordsTrial): string | null {
  if (read_back_error) return `The file could not be read back: ${read_back_error}.`;
  if (counts === null || counts.stored === null) return null;
  const others = file_wrong ? `, and ${count(file_wrong)} that are none of any sender` : "";
  return `${count(counts.stored)} intact records were in the file when it was read back${others}.`;
}
