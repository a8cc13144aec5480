import { formatBytes, formatLatency, type RateUnit, rateText } from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import table from "@/components/table/FigureTable.module.css";
import classes from "@/features/kinds/sustained/Sustained.module.css";
import {
  type Direction,
  directionName,
  type SustainedTrial,
  timeWords,
} from "@/features/kinds/sustained/sustained";

interface ParticipantsProps {
  result: Direction;
  trial: SustainedTrial;
  unit: RateUnit;
  selected: number | undefined;
  onSelect: (participant: number) => void;
}

/** Each participant's part of a trial; a row selects whose course the chart shows. */
export function Participants({ result, trial, unit, selected, onSelect }: ParticipantsProps) {
  const writes = result.operation === "write";
  const isPaced = trial.participants.some(({ due_p99_ns }) => due_p99_ns != null);
  const names = new Map(
    result.participants.map(({ id, host, path }) => [id, `${host} ${path ?? ""}`.trim()]),
  );
  return (
    <>
      <FigureTable
        caption={`Participants of the shown trial: ${directionName(result.operation).toLowerCase()}`}
      >
        <thead>
          <tr>
            <th scope="col">Participant</th>
            <th scope="col">Application</th>
            <th scope="col">Share</th>
            {writes ? <th scope="col">Durable</th> : null}
            <th scope="col">Peak {timeWords(result.operation)}</th>
            <th scope="col">p99</th>
            {isPaced ? (
              <>
                <th scope="col">p99 from due time</th>
                <th scope="col">Largest backlog</th>
              </>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {trial.participants.map((one) => (
            <tr key={one.participant_id}>
              <th scope="row">
                <RowButton
                  className={table.name}
                  title="Show throughput and host load of this participant"
                  selected={one.participant_id === selected}
                  onSelect={() => onSelect(one.participant_id)}
                >
                  {names.get(one.participant_id)}
                </RowButton>
                {one.participant_id === trial.slowest_participant_id && !isEven(trial)
                  ? " slowest"
                  : null}
              </th>
              <td>{rateText(one.application_bytes_per_s, unit)}</td>
              <td>{one.share === null ? "–" : `${Math.round(one.share * 100)}\u00a0%`}</td>
              {writes ? <td>{rateText(one.durable_bytes_per_s, unit)}</td> : null}
              <td>{latencyText(one.peak_ns)}</td>
              <td>{latencyText(one.p99_ns)}</td>
              {isPaced ? (
                <>
                  <td>{latencyText(one.due_p99_ns)}</td>
                  <td>
                    {one.backlog_most_bytes == null ? "–" : formatBytes(one.backlog_most_bytes)}
                  </td>
                </>
              ) : null}
            </tr>
          ))}
        </tbody>
      </FigureTable>
      {trial.fairness === null ? null : (
        <p className={classes.fairness}>Jain's fairness index: {trial.fairness.toFixed(3)}</p>
      )}
    </>
  );
}

const latencyText = (ns: number | null | undefined): string =>
  ns == null ? "–" : formatLatency(ns);

/** Where the index is 1.000 as shown, no participant is slower to speak of. */
const isEven = ({ fairness }: SustainedTrial): boolean => (fairness ?? 0) >= 0.9995;
