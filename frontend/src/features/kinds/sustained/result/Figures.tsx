import {
  figure,
  formatBytes,
  formatDuration,
  formatIops,
  formatLatency,
  formatRate,
  type RateUnit,
} from "@/components/quantities";
import classes from "@/features/kinds/sustained/Sustained.module.css";
import {
  capital,
  dataWords,
  type Operation,
  type SustainedCell,
  type SustainedTrial,
  shapeWords,
  timeWords,
} from "@/features/kinds/sustained/sustained";

type Props = {
  operation: Operation;
  /** Whether its operations choose their blocks at random, so that they are counted. */
  random: boolean;
  cell: SustainedCell;
  trial: SustainedTrial;
  unit: RateUnit;
  /** The host that reads the files back, if another than the writer does. */
  reader?: string;
  nameOf?: NameOf;
};

/** The names of participants, where there are several. */
type NameOf = (participant: number) => string | null;

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

/** "95 %" */
const level = (confidence: number): string => `${Math.round(confidence * 100)}\u00a0%`;

function ofCell({ cell, random, unit }: Props): Named[] {
  const found: Named[] = [];
  if (random && cell.iops) {
    found.push(["Operations per second, mean", formatIops(cell.iops.mean)]);
    if (cell.iops.n > 1) {
      found.push(["Operations per second, worst", formatIops(cell.iops.worst)]);
    }
  }
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
        `${name} mean, ${level(confidence)} interval`,
        `${formatRate(low, unit)} to ${formatRate(high, unit)}`,
      ]);
    }
  }
  if (cell.writeback?.bytes_per_s) {
    found.push(
      ["Rate from the start of writeback", formatRate(cell.writeback.bytes_per_s, unit)],
      ["Time before writeback", formatDuration(cell.writeback.begins_ns / 1e9)],
    );
  }
  return found;
}

type OfWorst = "peak_ns" | "p99_ns" | "due_p99_ns" | "backlog_most_bytes" | "backlog_end_bytes";

/** " (web-2 /mnt/a)": whose figure the trial has, if it is that of one of several participants. */
function whose(trial: SustainedTrial, figure: OfWorst, nameOf?: NameOf): string {
  const [worst, another] = trial.participants.filter((one) => one[figure] === trial[figure]);
  const name = worst && !another ? nameOf?.(worst.participant_id) : null;
  return name ? ` (${name})` : "";
}

/** Operations that never returned make the latencies lower bounds. */
export function latencyFigures(trial: SustainedTrial, time: string, nameOf?: NameOf): Named[] {
  const { peak_ns, p99_ns, unreturned } = trial;
  const found: Named[] = [];
  const least = unreturned > 0 ? "at least " : "";
  if (peak_ns !== null) {
    const value = least + formatLatency(peak_ns);
    found.push([`Peak ${time}`, value + whose(trial, "peak_ns", nameOf)]);
  }
  if (p99_ns !== null) {
    const value = least + formatLatency(p99_ns);
    found.push([`p99 ${time}`, value + whose(trial, "p99_ns", nameOf)]);
  }
  if (unreturned > 0) found.push(["Never returned", String(unreturned)]);
  return found;
}

/** How late a trial with a rate was; of several participants, the worst. */
export function scheduleFigures(trial: SustainedTrial, nameOf?: NameOf): Named[] {
  const { due_p99_ns, backlog_most_bytes, backlog_end_bytes } = trial;
  const found: Named[] = [];
  if (due_p99_ns !== null) {
    const value = formatLatency(due_p99_ns);
    found.push(["p99 from due time", value + whose(trial, "due_p99_ns", nameOf)]);
  }
  if (backlog_most_bytes !== null) {
    const value = formatBytes(backlog_most_bytes);
    found.push(["Largest backlog", value + whose(trial, "backlog_most_bytes", nameOf)]);
  }
  // null if the trial ended before its last operation was due
  if (backlog_end_bytes !== null) {
    const value = formatBytes(backlog_end_bytes);
    found.push(["Backlog at the end", value + whose(trial, "backlog_end_bytes", nameOf)]);
  }
  return found;
}

function ofTrial({ operation, random, trial, unit, reader, nameOf }: Props): Named[] {
  const found: Named[] = [
    [capital(dataWords(operation)), formatBytes(trial.bytes)],
    ["Duration", formatDuration(trial.duration_ns / 1e9)],
  ];
  if (trial.footprint_bytes > 0 && trial.footprint_bytes < trial.bytes) {
    const files = random ? "Working set" : "Footprint of the files";
    found.push([files, formatBytes(trial.footprint_bytes)]);
  }
  const time = timeWords(operation);
  found.push(...latencyFigures(trial, time, nameOf), ...scheduleFigures(trial, nameOf));
  if (trial.slow_down) {
    const { first_bytes_per_s, last_bytes_per_s, share, trend } = trial.slow_down;
    found.push([
      "First and last tenth",
      `${formatRate(first_bytes_per_s, unit)}, ${formatRate(last_bytes_per_s, unit)} (${percent(Math.abs(share))} ${share < 0 ? "faster" : "slower"})`,
    ]);
    // a line through several levels describes none
    if (trend && trial.levels === null) {
      found.push([
        `Trend, ${level(trend.confidence ?? 0.95)} interval`,
        `${percent(trend.change)} (${percent(trend.low)} to ${percent(trend.high)})`,
      ]);
    }
  }
  if (trial.shape) found.push(["Course of the rate", shapeWords(trial.shape)]);
  const steady = steadyText(trial);
  if (steady !== null) found.push(["Steady state", steady]);
  const conformance = conformanceText(trial);
  if (conformance !== null) found.push(["SNIA method", conformance]);
  found.push(...preparationFigures(trial), ...readBackFigures(trial, unit, random, reader));
  if (trial.files && trial.files.count > 1) {
    found.push(["Files", String(trial.files.count)]);
    const begins = operation === "read" ? "open" : "create";
    found.push([`Longest ${begins}`, formatLatency(trial.files.create_max_ns)]);
    found.push(["Longest close", formatLatency(trial.files.close_max_ns)]);
  }
  if (trial.syncs && trial.syncs.count > 0) {
    found.push(["Periodic syncs", String(trial.syncs.count)]);
    found.push(["Longest sync", formatLatency(trial.syncs.max_ns)]);
    if (trial.syncs.p99_ns !== null)
      found.push(["p99 of syncs", formatLatency(trial.syncs.p99_ns)]);
    found.push(["Time in syncs", formatDuration(trial.syncs.sum_ns / 1e9)]);
  }
  return found;
}

/** Whether the trial conforms to SNIA's method, as far as steady state was judged. */
export function conformanceText({ conformance, footprint_bytes }: SustainedTrial): string | null {
  if (!conformance) return null;
  if (!conformance.conformant) {
    return `SNIA-style, not conformant: ${conformance.reasons.join(", ")}`;
  }
  return `conformant within the test files (${formatBytes(footprint_bytes)}), purge declared by the operator`;
}

/** What was done before the trial; it is in no other figure. */
export function preparationFigures({ preparation }: SustainedTrial): Named[] {
  if (!preparation) return [];
  const { fill_bytes, fill_ns, level_share, idle_ns } = preparation;
  const { precondition_passes, precondition_bytes, precondition_ns } = preparation;
  const found: Named[] = [];
  if (level_share !== null) {
    const took = formatDuration(fill_ns / 1e9);
    found.push(["File system filled to", percent(level_share)]);
    found.push(["Written to fill it", `${formatBytes(fill_bytes)} in ${took}`]);
  }
  if (precondition_passes > 0) {
    const took = formatDuration(precondition_ns / 1e9);
    found.push([
      "Preconditioning",
      `${precondition_passes}\u00d7, ${formatBytes(precondition_bytes)} in ${took}`,
    ]);
  }
  if (idle_ns > 0) found.push(["Idle before the trial", formatDuration(idle_ns / 1e9)]);
  return found;
}

/** What was read back and verified after the final sync; its rate is in no other figure. */
export function readBackFigures(
  { read_back, bytes }: SustainedTrial,
  unit: RateUnit,
  random: boolean,
  reader = "another host",
): Named[] {
  if (!read_back) return [];
  const { errors, first_offset_bytes, first_stream, whole, cached_share } = read_back;
  const label = read_back.elsewhere ? `Read back by ${reader}` : "Read back and verified";
  if (read_back.pending) return [[label, "pending"]];
  const part = read_back.bytes < bytes && whole ? ", what was written last" : "";
  // random writes overwrite each other, so their sum is not what can be read
  const inSet = whole ? ", the whole working set" : " of the working set";
  const read = random ? inSet : ` of ${formatBytes(bytes)}${part}`;
  const end = whole ? "" : ", ended early";
  const intact = whole && errors === 0 ? ", all intact" : "";
  const found: Named[] = [
    [label, `${formatBytes(read_back.bytes)}${read}${end}${intact}`],
    [
      "Read-back errors",
      errors === 0
        ? "none"
        : `${errors} sectors, the first at byte ${first_offset_bytes} of stream ${first_stream}`,
    ],
  ];
  if (read_back.bytes_per_s !== null) {
    found.push(["Read-back rate", formatRate(read_back.bytes_per_s, unit)]);
  }
  if (cached_share) found.push(["Read back from the page cache", percent(cached_share)]);
  return found;
}

const FEWEST_ROUNDS_NS = 5 * 60e9;

/** Where the steady window lies, or why there is none; null if the reason is not the length. */
export function steadyText(trial: SustainedTrial): string | null {
  const { steady, status, participants, gaps, window_ns } = trial;
  const joint = participants.length > 1;
  if (!steady) {
    if (joint && gaps.length > 0) return "not judged: a participant was disturbed";
    const measured = joint ? window_ns : trial.duration_ns - trial.ramp_ns;
    const short = measured !== null && measured < FEWEST_ROUNDS_NS;
    const common = joint ? " in which all are measured" : "";
    return short && status === "complete" ? `needs five rounds of 60 s${common}` : null;
  }
  const { reached, first_round, rounds } = steady;
  const ofAll = joint ? " of all together" : "";
  return reached
    ? `reached in rounds ${first_round}\u2013${rounds}${ofAll}`
    : `not reached after ${rounds} rounds${ofAll}`;
}
