import {
  figure,
  formatBytes,
  formatDuration,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { RowButton } from "@/components/table/RowButton";
import type { Recovery } from "@/features/kinds/sustained/shapes";

interface RecoveryTableProps {
  recovery: Recovery;
  /** The trial that is shown below. */
  selected: number | undefined;
  onSelect: (trialId: number) => void;
}

/** What each rest restored of the data that the storage took before its first cliff. */
export function RecoveryTable({ recovery, selected, onSelect }: RecoveryTableProps) {
  return (
    <FigureTable caption="Recovery after each rest">
      <thead>
        <tr>
          <th scope="col">Rest</th>
          <th scope="col">At the first rate</th>
          <th scope="col">Of the first</th>
        </tr>
      </thead>
      <tbody>
        {recovery.rests.map((rest) => (
          <tr key={rest.trial_id}>
            <th scope="row">
              <RowButton
                selected={rest.trial_id === selected}
                onSelect={() => onSelect(rest.trial_id)}
              >
                {formatDuration(rest.rest_ns / 1e9)}
              </RowButton>
            </th>
            <td>{restoredText(rest)}</td>
            <td>
              {rest.share === null ? "–" : `${least(rest)}${figure(rest.share * 100)}\u00a0%`}
            </td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

type Rest = Recovery["rests"][number];

const least = ({ restored }: Rest): string => (restored === "at_least" ? "≥\u00a0" : "");

/** "1.07 GB"; "≥ 1.00 GB" if the trial ended before it fell; or why it is unknown. */
export const restoredText = (rest: Rest): string =>
  rest.bytes === null
    ? "the cache was not full before"
    : `${least(rest)}${formatBytes(rest.bytes)}`;

/** "Recovers within 30 s: …; 5 s were not enough." */
export function recoveryWords(recovery: Recovery, unit: RateUnit): string {
  const { within_ns: within, beyond_ns: beyond, fast_bytes, fast_bytes_per_s } = recovery;
  const first = `${formatBytes(fast_bytes)} at ${formatRate(fast_bytes_per_s, unit)}`;
  const span = (ns: number) => formatDuration(ns / 1e9);
  if (within !== null) {
    const tried = beyond === null ? "" : `; ${span(beyond)} were not enough`;
    return `After ${span(within)} of rest the storage again takes at least nine tenths of the first ${first}${tried}.`;
  }
  return beyond === null
    ? "Whether the storage recovers is not known: no rest followed a full cache."
    : `After ${span(beyond)} of rest the storage had not recovered: at first it took ${first}.`;
}
