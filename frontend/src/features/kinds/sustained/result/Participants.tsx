import { formatLatency, formatRate, type RateUnit } from "@/components/quantities";
import type { Sustained, SustainedTrial } from "@/features/kinds/sustained/shapes";
import classes from "./SustainedResult.module.css";

interface ParticipantsProps {
  result: Sustained;
  trial: SustainedTrial;
  unit: RateUnit;
  selected: number | undefined;
  onSelect: (participant: number) => void;
}

/** Each participant's part of a trial; a row selects whose course the chart shows. */
export function Participants({ result, trial, unit, selected, onSelect }: ParticipantsProps) {
  const names = new Map(
    result.participants.map(({ id, host, path }) => [id, `${host} ${path ?? ""}`.trim()]),
  );
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Participant</th>
            <th scope="col">Application</th>
            <th scope="col">Share</th>
            <th scope="col">Durable</th>
            <th scope="col">Peak write time</th>
          </tr>
        </thead>
        <tbody>
          {trial.participants.map((one) => (
            <tr key={one.participant_id}>
              <th scope="row">
                <button
                  type="button"
                  className={classes.link}
                  aria-pressed={one.participant_id === selected}
                  onClick={() => onSelect(one.participant_id)}
                >
                  {names.get(one.participant_id)}
                </button>
                {one.participant_id === trial.slowest_participant_id ? " slowest" : null}
              </th>
              <td>{rateText(one.application_bytes_per_s, unit)}</td>
              <td>{one.share === null ? "–" : `${Math.round(one.share * 100)}\u00a0%`}</td>
              <td>{rateText(one.durable_bytes_per_s, unit)}</td>
              <td>{one.peak_ns === null ? "–" : formatLatency(one.peak_ns)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {trial.fairness === null ? null : <p>Jain's fairness index: {trial.fairness.toFixed(3)}</p>}
    </div>
  );
}

const rateText = (bytesPerS: number | null, unit: RateUnit): string =>
  bytesPerS === null ? "–" : formatRate(bytesPerS, unit);
