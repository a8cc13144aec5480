import { seriesStyle } from "@/charts/color";
import { figure, formatLatency, formatRate, levelsWords } from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import table from "@/components/table/FigureTable.module.css";
import type { Matrix, MatrixCell, RateKind, Reading } from "@/features/kinds/matrix/matrix";
import classes from "./Repeats.module.css";

interface ParticipantsProps {
  matrix: Matrix;
  cell: MatrixCell;
  reading: Reading;
  /** The participant whose host columns are drawn. */
  focused: number | null;
  onFocus: (participantId: number) => void;
}

/** How the selected cell's rate is shared between participants that run together, and how fairly. */
export function Participants({ matrix, cell, reading, focused, onFocus }: ParticipantsProps) {
  const shares = cell.shares?.[reading.rate] ?? null;
  if (matrix.participants.length < 2) return null;
  return (
    <>
      <p className={classes.sentence}>{sharesWords(matrix, cell, reading)}</p>
      <FigureTable caption="Participants of the selected cell">
        <thead>
          <tr>
            <th scope="col">Participant</th>
            <th scope="col">Rate</th>
            <th scope="col">Share</th>
            <th scope="col" className={classes.words}>
              Remarks
            </th>
          </tr>
        </thead>
        <tbody>
          {matrix.participants.map((one, index) => {
            const share = shares?.participants.find(
              ({ participant_id }) => participant_id === one.id,
            );
            return (
              <tr key={one.id}>
                <th scope="row">
                  <RowButton
                    className={table.name}
                    selected={one.id === focused}
                    title="Show CPU and device of this participant"
                    onSelect={() => onFocus(one.id)}
                  >
                    <span
                      className={classes.swatch}
                      style={{ background: seriesStyle(index, "currentColor").color }}
                      aria-hidden="true"
                    />
                    <span>
                      {one.host} {one.path}
                    </span>
                  </RowButton>
                </th>
                <td>{share ? formatRate(share.bytes_per_s, reading.unit) : "–"}</td>
                <td>{share ? `${figure(share.share * 100)}\u00a0%` : "–"}</td>
                <td className={classes.words}>
                  {[
                    shares?.slowest_participant_id === one.id && !isEven(shares.fairness)
                      ? "slowest"
                      : null,
                    levelsOf(cell, one.id, reading),
                  ]
                    .filter(Boolean)
                    .join("; ") || "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </FigureTable>
    </>
  );
}

/** Where the index is 1.000 as shown, rates differ by some 2 % at most: that names no slowest. */
const isEven = (fairness: number): boolean => fairness >= 0.9995;

/** "105 MB/s for 10.2 s, then 31.5 MB/s (in 2 of 2 trials)": the levels in the first such trial. */
function levelsOf(cell: MatrixCell, participantId: number, { unit }: Reading): string | null {
  const found = cell.trials.flatMap(({ participants }) =>
    participants.flatMap(({ participant_id, levels }) =>
      participant_id === participantId && levels ? [levels] : [],
    ),
  );
  if (!found[0]) return null;
  return `${levelsWords(found[0], unit)} (in ${found.length} of ${cell.trials.length} trials)`;
}

/** What the aggregate and the participants' rates cover: the participants end at different times. */
const PERIODS: Record<RateKind, string> = {
  application: "All rates cover only the time in which every participant was active.",
  durable:
    "The aggregate ends with the last participant's sync, each participant's rate with its own.",
};

/** "Aggregate of 3 participants: 512 MB/s durable. Jain's fairness index 0.712; slowest: web-1 /mnt/a." */
export function sharesWords(matrix: Matrix, cell: MatrixCell, { rate, unit }: Reading): string {
  const shares = cell.shares?.[rate];
  const stat = cell[rate];
  if (!shares || !stat) {
    return cell.state === "failed" || cell.state === "inconclusive"
      ? "No trial was completed by every participant."
      : "The shares appear when every participant has completed a trial.";
  }
  const slowest = matrix.participants.find(({ id }) => id === shares.slowest_participant_id);
  const uncertain = matrix.participants.flatMap(({ clock_uncertainty_ns: ns }) => ns ?? []);
  const clocks =
    uncertain.length === matrix.participants.length
      ? ` Starts were synchronized to within ±${formatLatency(Math.max(...uncertain))}.`
      : "";
  const slow =
    slowest && !isEven(shares.fairness) ? `; slowest: ${slowest.host} ${slowest.path ?? ""}` : "";
  return (
    `Aggregate of ${matrix.participants.length} participants: ` +
    `${formatRate(stat.mean, unit)} ${rate}. ` +
    `Jain's fairness index ${shares.fairness.toFixed(3)}${slow}. ` +
    `${PERIODS[rate]}${clocks}`
  );
}
