import {
  formatLatency,
  formatShare,
  type RateUnit,
  rateText,
  valueText,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import table from "@/components/table/FigureTable.module.css";
import {
  type PathLeg,
  type PathPair,
  type PathTrial,
  writesDisk,
} from "@/features/kinds/path/path";
import { codeWords } from "@/features/kinds/results";
import classes from "./Path.module.css";
import { pairsOf } from "./pairs";

interface PairTableProps {
  leg: PathLeg;
  trial: PathTrial;
  unit: RateUnit;
  selected: PathPair | null;
  onSelect: (position: number) => void;
}

/** Each pair's part of a trial; a row selects the pair that is drawn below. */
export function PairTable({ leg, trial, unit, selected, onSelect }: PairTableProps) {
  const writes = writesDisk(leg.leg);
  return (
    <>
      <FigureTable caption="Pairs of the shown trial">
        <thead>
          <tr>
            <th scope="col">Pair</th>
            <th scope="col">Received, common window</th>
            <th scope="col">Share</th>
            <th scope="col">Received, whole transfer</th>
            {writes ? <th scope="col">Durable</th> : null}
            <th scope="col">Sent</th>
            <th scope="col">Round trip</th>
            <th scope="col">Retransmitted</th>
            <th scope="col">Start delay</th>
            <th scope="col">Status</th>
          </tr>
        </thead>
        <tbody>
          {pairsOf(trial).map((pair, position) => (
            <tr key={pair.sender_id}>
              <th scope="row">
                <RowButton
                  className={table.name}
                  title="Show the path and both ends of this pair"
                  selected={pair === selected}
                  onSelect={() => onSelect(position)}
                >
                  {pair.source} → {pair.sink}
                </RowButton>
                {position === trial.slowest_pair && !isEven(trial) ? " slowest" : null}
              </th>
              <td>{rateText(pair.application_bytes_per_s, unit)}</td>
              <td>{valueText(pair.share, formatShare)}</td>
              <td>{ownWords(pair, unit)}</td>
              {writes ? <td>{rateText(pair.durable_bytes_per_s, unit)}</td> : null}
              <td>{rateText(pair.sent_bytes_per_s, unit)}</td>
              <td>{valueText(pair.link?.rtt_load_ns, formatLatency)}</td>
              <td>{valueText(pair.link?.retransmitted, formatShare)}</td>
              <td>{valueText(pair.start_delay_ns, formatLatency)}</td>
              <td>{pairStatus(pair)}</td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
      <p className={classes.fairness}>{fairnessWords(trial)}</p>
    </>
  );
}

/** Where the index is 1.000 as shown, no pair is slower to speak of. */
const isEven = ({ fairness }: PathTrial): boolean => (fairness ?? 0) >= 0.9995;

/** "21.0 MB/s in 15.0 s": the rate of a pair over all of its own time. */
export function ownWords({ own_bytes_per_s, own_ns }: PathPair, unit: RateUnit): string {
  const rate = rateText(own_bytes_per_s, unit);
  return own_bytes_per_s == null || own_ns == null ? rate : `${rate} in ${formatLatency(own_ns)}`;
}

/** "Jain's fairness index 0.873. Rates of the common window cover the 58.2 s in which every pair moved data." */
export function fairnessWords({ fairness, flags, window_ns }: PathTrial): string {
  if (window_ns === 0)
    return "There is no common window: the pairs never moved data at the same time.";
  if (fairness == null || window_ns == null) {
    return "The shares appear when every pair has completed the trial.";
  }
  const window = formatLatency(window_ns);
  const short = flags.some(({ code }) => code === "short_overlap") ? ", which is too short" : "";
  return `Jain's fairness index ${fairness.toFixed(3)}. Rates of the common window cover the ${window} in which every pair moved data${short}.`;
}

const pairStatus = ({ status, reason, wrong_blocks }: PathPair): string =>
  [
    codeWords(status),
    reason && status !== "complete" ? reason : null,
    wrong_blocks > 0 ? "wrong data" : null,
  ]
    .filter(Boolean)
    .join("; ");
