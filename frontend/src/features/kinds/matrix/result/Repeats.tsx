import { seriesStyle } from "@/charts/color";
import {
  figure,
  formatBytes,
  formatLatency,
  formatRate,
  useRateUnit,
  wordsText,
} from "@/components/quantities";
import { StateShape } from "@/components/state/StateBadge";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import type { Flag, MatrixCell, RateKind, Reading } from "@/features/kinds/matrix/matrix";
import { FLAG_LOOKS } from "@/features/kinds/matrix/signs";
import { flagWords } from "@/features/kinds/results";
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
        {countedFirst(cell, reading.rate).map((trial) => (
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
            <td>{deviationText(trial, reading.rate, stat)}</td>
            <td>{trial.lat_max_ns ? formatLatency(trial.lat_max_ns) : "–"}</td>
            <td
              title={
                trial.contention ? wordsText(trial.contention.evidence, reading.unit) : undefined
              }
            >
              {othersText(trial)}
            </td>
            <td className={classes.words}>
              <span className={classes.remarks}>
                {trial.flags.map((flag) => (
                  <FlagSign key={flag.code} flag={flag} rates={rates} />
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
              {HEADS[reading.rate].toLowerCase()}: mean {formatRate(stat.mean, reading.unit)}
              {stat.cv === null
                ? null
                : `, standard deviation ${formatRate(stat.cv * stat.mean, reading.unit)} (${figure(stat.cv * 100)}\u00a0%)`}
              , worst {formatRate(stat.worst, reading.unit)}
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

/** A cell's trials: those that its figure is of, then those that it leaves out. */
function countedFirst({ trials }: MatrixCell, rate: RateKind): TrialResult[] {
  const isLeftOut = ({ left_out: leftOut }: TrialResult) => leftOut?.[rate] !== undefined;
  return [...trials.filter((one) => !isLeftOut(one)), ...trials.filter(isLeftOut)];
}

/** The deviation from the mean of the repeats that count; a trial that does not says so. */
function deviationText(trial: TrialResult, rate: RateKind, stat: MatrixCell[RateKind]): string {
  if (trial.left_out?.[rate]) return "not counted";
  return deviation(rateOf(trial, rate), stat && stat.n > 1 ? stat.mean : null);
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

/** A flag as shape, color and words; its evidence is the tooltip, and read out. */
function FlagSign({ flag, rates }: { flag: Flag; rates: readonly RateKind[] }) {
  const { shape, color, word } = FLAG_LOOKS[flag.code];
  const { unit } = useRateUnit();
  const evidence = wordsText(flag.evidence, unit);
  return (
    <span
      className={classes.sign}
      style={{ color: `var(${color})` }}
      title={evidence}
      data-flag={flag.code}
    >
      <StateShape shape={shape} />
      {rates.every((rate) => flag.rates.includes(rate)) ? word : flagWords(flag)}
      <span className="visually-hidden">: {evidence}</span>
    </span>
  );
}

/** The flags of a cell, each with its evidence in full; nothing where there are none. */
export function FlagList({ flags }: { flags: readonly Flag[] }) {
  const { unit } = useRateUnit();
  if (flags.length === 0) return null;
  return (
    <ul className={classes.list} aria-label="Flags">
      {flags.map((flag) => {
        const { shape, color, word } = FLAG_LOOKS[flag.code];
        return (
          <li key={`${flag.code} ${flag.rates}`} data-flag={flag.code}>
            <span className={classes.sign} style={{ color: `var(${color})` }}>
              <StateShape shape={shape} />
              {word}
            </span>
            <span>{wordsText(flag.evidence, unit)}</span>
          </li>
        );
      })}
    </ul>
  );
}
