import { seriesStyle } from "@/charts/color";
import { figure, formatBytes, formatLatency, formatRate } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { RowButton } from "@/components/table/RowButton";
import { FlagSign } from "@/features/kinds/matrix/FlagSign";
import type { Reading } from "@/features/kinds/matrix/reading";
import type { MatrixCell, RateKind } from "@/features/kinds/matrix/shapes";
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
type Figures = Record<string, number>;

const HEADS: Record<RateKind, string> = { durable: "Durable", application: "Application" };

/** Each repeat's values, its deviation from the mean, and its problems. */
export function Repeats({ cell, rates, reading, focused, onFocus }: RepeatsProps) {
  const stat = cell[reading.rate];
  return (
    <FigureTable caption="Repeats of the selected cell">
      <thead>
        <tr>
          <th scope="col">Repeat</th>
          {rates.map((rate) => (
            <th key={rate} scope="col">
              {HEADS[rate]}
            </th>
          ))}
          <th scope="col">Deviation from mean</th>
          <th scope="col">Peak latency</th>
          <th scope="col">Other I/O</th>
          <th scope="col" className={classes.words}>
            Remarks
          </th>
        </tr>
      </thead>
      <tbody>
        {cell.trials.map((trial) => (
          <tr key={trial.id} data-focused={trial.repeat === focused || undefined}>
            <th scope="row">
              <RowButton
                className={classes.repeat}
                selected={trial.repeat === focused}
                title="Show CPU and device of this repeat"
                onSelect={() => onFocus(trial.repeat)}
              >
                <Swatch index={trial.repeat - 1} />
                {trial.repeat}
              </RowButton>
            </th>
            {rates.map((rate) => (
              <td key={rate}>{rateText(trial, rate, reading)}</td>
            ))}
            <td>
              {deviation(
                rateOf(trial, reading.rate),
                stat && stat.n > 1 ? stat.mean_bytes_per_s : null,
              )}
            </td>
            <td>{trial.lat_max_ns === null ? "–" : formatLatency(trial.lat_max_ns)}</td>
            <td title={trial.contention?.evidence}>{othersText(trial)}</td>
            <td className={classes.words}>
              <span className={classes.remarks}>
                {trial.flags.map((flag) => (
                  <FlagSign key={flag.code} flag={flag} />
                ))}
                <span>{remarksOf(trial, rates.includes("durable"))}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
      {stat && stat.n > 1 ? (
        <tfoot>
          <tr>
            <th scope="row" className={classes.spread}>
              Spread
            </th>
            <td className={classes.spread} colSpan={rates.length + 4}>
              {HEADS[reading.rate].toLowerCase()}: mean{" "}
              {formatRate(stat.mean_bytes_per_s, reading.unit)}
              {stat.sd_bytes_per_s === null
                ? null
                : `, standard deviation ${formatRate(stat.sd_bytes_per_s, reading.unit)} (${figure((stat.sd_bytes_per_s / stat.mean_bytes_per_s) * 100)}\u00a0%)`}
              , worst {formatRate(stat.worst_bytes_per_s, reading.unit)}
            </td>
          </tr>
        </tfoot>
      ) : null}
    </FigureTable>
  );
}

function Swatch({ index }: { index: number }) {
  const { color, dash } = seriesStyle(index, "#888888");
  const isInk = color === "#888888";
  return (
    <svg width="18" height="8" aria-hidden="true">
      <line
        x1="0"
        x2="18"
        y1="4"
        y2="4"
        stroke={isInk ? "currentColor" : color}
        strokeWidth="3"
        strokeDasharray={dash === "solid" ? undefined : "5 2"}
      />
    </svg>
  );
}

/** A smaller share of the time costs less rate than repeats differ by. */
const NOTABLE_SHARE = 0.05;

const rateOf = (trial: TrialResult, rate: RateKind): number | null =>
  rate === "durable" ? trial.durable_bytes_per_s : trial.application_bytes_per_s;

function rateText(trial: TrialResult, rate: RateKind, { unit }: Reading): string {
  const bytesPerS = rateOf(trial, rate);
  if (bytesPerS === null) return "–";
  return `${rate === "durable" && trial.bounded ? "≤ " : ""}${formatRate(bytesPerS, unit)}`;
}

/** "208 MB (15 % of all bytes, 4.0–13.0 s)": what others moved on the disks, or that it is unknown. */
function othersText({ contention }: TrialResult): string {
  if (!contention) return "–";
  if (contention.others_bytes === null) return "unknown";
  const moved = `${formatBytes(contention.others_bytes)}${shareText(contention.figures)}`;
  if (contention.state === "others_or_amplification") return `${moved} or amplification`;
  return contention.state === "unknown" ? `${moved} on this host` : moved;
}

/** Their share, and when they moved it, unless they did all the time. */
function shareText({ moved_share: share, from_ns: from, until_ns: until }: Figures = {}): string {
  if (share === undefined) return "";
  const all = `${figure(share * 100)}\u00a0% of all bytes`;
  if (from === undefined || until === undefined) return ` (${all})`;
  return ` (${all}, ${(from / 1e9).toFixed(1)}–${(until / 1e9).toFixed(1)}\u00a0s)`;
}

/** In percent: a smaller one would be shown as zero with a sign. */
const LEAST_DEVIATION = 0.05;

/** "+1.2 %", "−12.3 %", "+222 %" */
function deviation(bytesPerS: number | null, mean: number | null): string {
  if (bytesPerS === null || !mean) return "–";
  const percent = (bytesPerS / mean - 1) * 100;
  if (Math.abs(percent) < LEAST_DEVIATION) return "0\u00a0%";
  const size = Math.abs(percent);
  return `${percent < 0 ? "\u2212" : "+"}${size < 10 ? size.toFixed(1) : figure(size)}\u00a0%`;
}

/** `wrote`: the trial generated its data; a read verifies it. */
function remarksOf(trial: TrialResult, wrote: boolean): string {
  const remarks: string[] = [];
  if (trial.bounded) remarks.push("final sync timed out; the durable rate is an upper bound");
  const measured = trial.status === "complete" || trial.status === "timed_out";
  if (!measured) remarks.push(trial.reason ? `${trial.status}: ${trial.reason}` : trial.status);
  if (trial.attempts > 1) {
    remarks.push(measured ? `measured in attempt ${trial.attempts}` : `${trial.attempts} attempts`);
  }
  if (trial.data_share && trial.data_share >= NOTABLE_SHARE) {
    const work = wrote ? "generating test data" : "verifying the data";
    remarks.push(`${work} took ${figure(trial.data_share * 100)}\u00a0% of thread time`);
  }
  return remarks.join("; ") || (trial.flags.length > 0 ? "" : "–");
}
