import {
  figure,
  formatBytes,
  formatDuration,
  formatLatency,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import type { SustainedCell, SustainedTrial } from "@/features/kinds/sustained/shapes";
import classes from "./SustainedResult.module.css";

type Props = { cell: SustainedCell; trial: SustainedTrial; unit: RateUnit };

/** The figures of a cell and of its shown trial. */
export function Figures(props: Props) {
  return (
    <dl className={classes.figures}>
      {[...ofCell(props), ...ofTrial(props)].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Named = [name: string, value: string];

const percent = (share: number): string =>
  `${share < 0 ? "\u2212" : ""}${figure(Math.abs(share) * 100)}\u00a0%`;

function ofCell({ cell, unit }: Props): Named[] {
  const found: Named[] = [];
  for (const [name, stat] of [
    ["Durable", cell.durable],
    ["Application", cell.application],
  ] as const) {
    if (!stat) continue;
    found.push([`${name} rate, mean`, formatRate(stat.mean, unit)]);
    if (stat.n < 2) continue;
    found.push([`${name} rate, median`, formatRate(stat.median, unit)]);
    found.push([`${name} rate, worst`, formatRate(stat.worst, unit)]);
    if (stat.cv !== null) found.push([`${name} rate, variation`, percent(stat.cv)]);
    if (stat.interval) {
      const { low, high, confidence = 0.95 } = stat.interval;
      found.push([
        `${name} mean, ${percent(confidence)} interval`,
        `${formatRate(low, unit)} to ${formatRate(high, unit)}`,
      ]);
    }
  }
  return found;
}

function ofTrial({ trial, unit }: Props): Named[] {
  const found: Named[] = [
    ["Data written", formatBytes(trial.bytes)],
    ["Duration", formatDuration(trial.duration_ns / 1e9)],
  ];
  if (trial.footprint_bytes > 0 && trial.footprint_bytes < trial.bytes) {
    found.push(["Footprint of the files", formatBytes(trial.footprint_bytes)]);
  }
  if (trial.peak_ns !== null) found.push(["Peak write time", formatLatency(trial.peak_ns)]);
  if (trial.p99_ns !== null) found.push(["p99 write time", formatLatency(trial.p99_ns)]);
  if (trial.due_p99_ns !== null) found.push(["p99 from due time", formatLatency(trial.due_p99_ns)]);
  if (trial.backlog_most_bytes !== null) {
    found.push(["Largest backlog", formatBytes(trial.backlog_most_bytes)]);
  }
  // null if the trial ended before its last write was due
  if (trial.backlog_end_bytes !== null) {
    found.push(["Backlog at the end", formatBytes(trial.backlog_end_bytes)]);
  }
  if (trial.slow_down) {
    const { first_bytes_per_s, last_bytes_per_s, share, trend } = trial.slow_down;
    found.push([
      "First and last tenth",
      `${formatRate(first_bytes_per_s, unit)}, ${formatRate(last_bytes_per_s, unit)} (${percent(Math.abs(share))} ${share < 0 ? "faster" : "slower"})`,
    ]);
    if (trend) {
      found.push([
        `Trend, ${percent(trend.confidence ?? 0.95)} interval`,
        `${percent(trend.change)} (${percent(trend.low)} to ${percent(trend.high)})`,
      ]);
    }
  }
  found.push(["Steady state", steadyText(trial)]);
  if (trial.files && trial.files.count > 1) {
    found.push(["Files", String(trial.files.count)]);
    found.push(["Longest create", formatLatency(trial.files.create_max_ns)]);
    found.push(["Longest close", formatLatency(trial.files.close_max_ns)]);
  }
  if (trial.syncs && trial.syncs.count > 0) {
    found.push(["Periodic syncs", String(trial.syncs.count)]);
    found.push(["Longest sync", formatLatency(trial.syncs.max_ns)]);
  }
  return found;
}

function steadyText({ steady }: SustainedTrial): string {
  if (!steady) return "needs five rounds of 60 s";
  const { reached, first_round, rounds } = steady;
  return reached
    ? `reached in rounds ${first_round}\u2013${rounds}`
    : `not reached after ${rounds} rounds`;
}
