import {
  formatBytes,
  formatLatency,
  formatShare,
  type RateUnit,
  rateText,
  valueText,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import { LEGS, type PathLeg, type PathTrial } from "@/features/kinds/path/path";
import { statusWords } from "@/features/kinds/results";
import { leadingRate } from "./shown";

interface TrialTableProps {
  legs: readonly PathLeg[];
  unit: RateUnit;
  selected: number | undefined;
  onSelect: (leg: PathLeg, trial: PathTrial) => void;
}

/** Every trial of a setting; a row selects the one that the chart shows. */
export function TrialTable({ legs, unit, selected, onSelect }: TrialTableProps) {
  return (
    <FigureTable caption="Trials">
      <thead>
        <tr>
          <th scope="col">Trial</th>
          <th scope="col">Rate</th>
          <th scope="col">Before the sync</th>
          <th scope="col">Data</th>
          <th scope="col">Round trip</th>
          <th scope="col">Retransmitted</th>
          <th scope="col">Sender's core</th>
          <th scope="col">Receiver's core</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {legs.flatMap((leg) =>
          leg.trials.map((trial) => (
            <tr key={trial.id}>
              <th scope="row">
                <RowButton
                  title="Show both ends of this trial"
                  selected={trial.id === selected}
                  onSelect={trial.status === "waiting" ? undefined : () => onSelect(leg, trial)}
                >
                  {trialName(leg, trial)}
                </RowButton>
              </th>
              <td>{rateText(leadingRate(leg, trial), unit)}</td>
              <td>
                {leg.rate === "durable" ? rateText(trial.application_bytes_per_s, unit) : "–"}
              </td>
              <td>{trial.status === "waiting" ? "–" : formatBytes(trial.bytes)}</td>
              <td>{valueText(trial.link?.rtt_load_ns, formatLatency)}</td>
              <td>{valueText(trial.link?.retransmitted, formatShare)}</td>
              <td>{valueText(trial.sender?.load?.busiest_core, formatShare)}</td>
              <td>{valueText(trial.receiver?.load?.busiest_core, formatShare)}</td>
              <td>
                {statusWords(
                  trial,
                  trial.inflated && "inflated by a cache",
                  trial.bounded && "sync timed out",
                  trial.wrong_blocks > 0 && "wrong data",
                )}
              </td>
            </tr>
          )),
        )}
      </tbody>
    </FigureTable>
  );
}

const trialName = ({ leg }: PathLeg, { repeat }: PathTrial): string =>
  `${LEGS[leg].title}, repeat ${repeat}`;
