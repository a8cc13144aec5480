import type { MatrixCell, RateKind } from "@/api/shapes";
import { seriesStyle } from "@/charts/colour";
import { figure, formatLatency, formatRate } from "@/components/quantities";
import type { Reading } from "@/features/matrix/reading";
import classes from "./Repeats.module.css";

interface RepeatsProps {
  cell: MatrixCell;
  rates: readonly RateKind[];
  reading: Reading;
  /** The repeat whose host columns are drawn. */
  focused: number | null;
  onFocus: (repeat: number) => void;
}

type TrialResult = MatrixCell["trials"][number];

const HEADS: Record<RateKind, string> = { durable: "Durable", application: "Application" };

/** Each repeat's values, how far it lies from the mean, and what was wrong with it. */
export function Repeats({ cell, rates, reading, focused, onFocus }: RepeatsProps) {
  const stat = cell[reading.rate];
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <caption className="visually-hidden">Repeats of this cell</caption>
        <thead>
          <tr>
            <th scope="col">Repeat</th>
            {rates.map((rate) => (
              <th key={rate} scope="col">
                {HEADS[rate]}
              </th>
            ))}
            <th scope="col">Against the mean</th>
            <th scope="col">Peak latency</th>
            <th scope="col" className={classes.words}>
              Remarks
            </th>
          </tr>
        </thead>
        <tbody>
          {cell.trials.map((trial) => (
            <tr key={trial.id} data-focused={trial.repeat === focused || undefined}>
              <th scope="row">
                <button
                  type="button"
                  aria-pressed={trial.repeat === focused}
                  title="Show this repeat's CPU and device"
                  onClick={() => onFocus(trial.repeat)}
                >
                  <Swatch index={trial.repeat - 1} />
                  {trial.repeat}
                </button>
              </th>
              {rates.map((rate) => (
                <td key={rate}>{rateText(trial, rate, reading)}</td>
              ))}
              <td>
                {deviation(rateOf(trial, reading.rate), stat && stat.n > 1 ? stat.mean : null)}
              </td>
              <td>{trial.lat_max_ns === null ? "–" : formatLatency(trial.lat_max_ns)}</td>
              <td className={classes.words}>{remarksOf(trial)}</td>
            </tr>
          ))}
        </tbody>
        {stat && stat.n > 1 ? (
          <tfoot>
            <tr>
              <th scope="row">Spread</th>
              <td colSpan={rates.length + 3}>
                {HEADS[reading.rate].toLowerCase()}: mean {formatRate(stat.mean, reading.unit)}
                {stat.sd === null
                  ? null
                  : `, standard deviation ${formatRate(stat.sd, reading.unit)} (${figure((stat.sd / stat.mean) * 100)}\u00a0%)`}
                , worst {formatRate(stat.worst, reading.unit)}
              </td>
            </tr>
          </tfoot>
        ) : null}
      </table>
    </div>
  );
}

function Swatch({ index }: { index: number }) {
  const { colour, dash } = seriesStyle(index, "#888888");
  const isInk = colour === "#888888";
  return (
    <svg width="18" height="8" aria-hidden="true">
      <line
        x1="0"
        x2="18"
        y1="4"
        y2="4"
        stroke={isInk ? "currentColor" : colour}
        strokeWidth="3"
        strokeDasharray={dash === "solid" ? undefined : "5 2"}
      />
    </svg>
  );
}

const rateOf = (trial: TrialResult, rate: RateKind): number | null =>
  rate === "durable" ? trial.durable_bps : trial.application_bps;

function rateText(trial: TrialResult, rate: RateKind, { unit }: Reading): string {
  const bps = rateOf(trial, rate);
  if (bps === null) return "–";
  return `${rate === "durable" && trial.bounded ? "≤ " : ""}${formatRate(bps, unit)}`;
}

/** "+1.2 %" */
function deviation(bps: number | null, mean: number | null): string {
  if (bps === null || !mean) return "–";
  const percent = (bps / mean - 1) * 100;
  return `${percent < 0 ? "\u2212" : "+"}${Math.abs(percent).toFixed(1)}\u00a0%`;
}

function remarksOf(trial: TrialResult): string {
  const remarks: string[] = [];
  if (trial.timed_out) remarks.push("timed out; counts what was done");
  if (trial.bounded) remarks.push("final sync cut off: durable is an upper bound");
  if (trial.status !== "complete" && trial.status !== "timed_out") {
    remarks.push(trial.reason ? `${trial.status}: ${trial.reason}` : trial.status);
  }
  return remarks.join("; ") || "–";
}
