import { formatShare, type RateUnit, rateOrLevels, rateText } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { RowButton } from "@/components/table/RowButton";
import { recordRateWords } from "@/features/kinds/records/headline";
import type { RecordsCell, RecordsTrial } from "@/features/kinds/records/shapes";
import { statusWords } from "@/features/kinds/trials";

interface TrialTableProps {
  cell: RecordsCell;
  unit: RateUnit;
  selected: number | undefined;
  onSelect: (trial: RecordsTrial) => void;
}

/** Every trial of a record length; a row selects the one that is shown. */
export function TrialTable({ cell, unit, selected, onSelect }: TrialTableProps) {
  return (
    <FigureTable caption="Trials">
      <thead>
        <tr>
          <th scope="col">Trial</th>
          <th scope="col">Records</th>
          <th scope="col">Payload</th>
          <th scope="col">Durable payload</th>
          <th scope="col">Receiver's core</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {cell.trials.map((trial) => (
          <tr key={trial.id}>
            <th scope="row">
              <RowButton
                title="Show this trial"
                selected={trial.id === selected}
                onSelect={trial.status === "waiting" ? undefined : () => onSelect(trial)}
              >
                Repeat {trial.repeat}
              </RowButton>
            </th>
            <td>{recordRateWords(trial.records_per_s, trial.levels, cell.record_bytes)}</td>
            <td>{rateOrLevels(trial.bytes_per_s, trial.levels, unit)}</td>
            <td>{rateText(trial.durable_bytes_per_s, unit)}</td>
            <td>{trial.receiver?.load ? formatShare(trial.receiver.load.busiest_core) : "–"}</td>
            <td>{statusWords(trial, trial.bounded && "sync timed out")}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}
