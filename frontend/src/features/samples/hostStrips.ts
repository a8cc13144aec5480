import type { Samples } from "@/api/shapes";
import type { DataTable, Value } from "@/charts/dataTable";
import { type Axis, type Line, type Strip, timeAxis } from "@/charts/figure";
import { figure, type RateUnit, rateIn } from "@/components/quantities";
import { joinedFragments } from "./fragments";
import { columnOf, mapped, peakOf, type Series, stepped } from "./series";

/** The host's load during one trial: processors, page cache and the target's device. */

/** Styles that do not repeat the first repeats' colors. */
const STYLE = {
  user: 5,
  system: 4,
  softirq: 3,
  iowait: 7,
  steal: 6,
  busiest: 15,
  written: 2,
  read: 5,
  dirty: 1,
  writeback: 0,
};

type HostColumn = readonly [column: string, name: string, style: number, longName?: string];

/** Drawn in the strip of the CPU, and listed in the table; shares of the time. */
const CPU: readonly HostColumn[] = [
  ["cpu_user", "user", STYLE.user],
  ["cpu_system", "system", STYLE.system],
  ["cpu_softirq", "softirq", STYLE.softirq, "soft interrupts"],
  ["cpu_iowait", "I/O wait", STYLE.iowait],
  ["cpu_steal", "steal", STYLE.steal],
  ["cpu_busiest", "busiest core", STYLE.busiest],
];

/** Drawn in the strip of the device, and listed in the table; rates. */
const DEVICE: readonly HostColumn[] = [
  ["dev_write_bytes_per_s", "written", STYLE.written],
  ["dev_read_bytes_per_s", "read", STYLE.read],
];

const MEMORY: readonly HostColumn[] = [
  ["mem_dirty_bytes", "dirty", STYLE.dirty],
  ["mem_writeback_bytes", "in writeback", STYLE.writeback],
];

/** Null where the trial was too short for a share of CPU time. */
export function cpuStrip(
  samples: Samples,
  longestNs: number,
  height: number,
  axis: Axis = timeAxis(longestNs),
): Strip | null {
  const lines = linesOf(samples, axis, CPU, (share) => share * 100);
  if (lines.length === 0) return null;
  return {
    title: "CPU",
    unit: "%",
    height,
    max: 100,
    lines,
  };
}

/** User, system, soft interrupts, I/O wait and steal one upon the other, and the busiest core as a line. */
export function stackedCpuStrip(samples: Samples, height: number, axis: Axis): Strip | null {
  const strip = cpuStrip(samples, 0, height, axis);
  return (
    strip && {
      ...strip,
      lines: strip.lines.map((line) => ({
        ...line,
        stacked: line.style !== STYLE.busiest && !line.points,
      })),
    }
  );
}

const NAMES = new Map<string, string>(CPU.map(([column, name]) => [column, name]));

/** Describe the host counters' implausible values; null if there are none. */
export function implausibleWords({ implausible }: Samples): string | null {
  if (implausible.length === 0) return null;
  const found = implausible.map(({ column, share, t_ns, count }) => {
    const more = count > 1 ? ` and ${count - 1} more` : "";
    return `${NAMES.get(column) ?? column} ${figure(share * 100)} % at ${figure(t_ns / 1e9)} s${more}`;
  });
  return `Not drawn because the host reported impossible values: ${found.join("; ")}.`;
}

/** Null where the target has no local device whose bytes could be counted. */
export function deviceStrip(
  samples: Samples,
  longestNs: number,
  unit: RateUnit,
  height: number,
  axis: Axis = timeAxis(longestNs),
): Strip | null {
  const known = DEVICE.some(([column]) =>
    columnOf(samples, column).some((value) => value !== null),
  );
  if (!known) return null;
  return {
    title: "Device",
    unit,
    height,
    lines: linesOf(samples, axis, DEVICE, (bytesPerS) => rateIn(bytesPerS, unit)),
  };
}

/** What the host's page cache had yet to write; null where it was not recorded. */
export function memoryStrip(
  samples: Samples,
  longestNs: number,
  height: number,
  axis: Axis = timeAxis(longestNs),
): Strip | null {
  const values = MEMORY.flatMap(([column]) => columnOf(samples, column));
  const highest = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const [unit, size] = highest >= 1e9 ? ["GB", 1e9] : ["MB", 1e6];
  const lines = linesOf(samples, axis, MEMORY, (bytes) => bytes / size);
  if (lines.length === 0) return null;
  return { title: "Dirty memory", unit, height, lines };
}

function linesOf(
  samples: Samples,
  axis: Axis,
  columns: readonly HostColumn[],
  change: (value: number) => number,
): Line[] {
  const drawn = joinedFragments(samples);
  return columns
    .filter(([column]) => columnOf(samples, column).some((value) => value !== null))
    .map(([column, name, style]) => ({
      ...stepped(drawn, axis, mapped(columnOf(drawn, column), change)),
      name,
      label: name,
      style,
    }));
}

/** The series' samples one below the other, in the units of the picture. */
export function seriesTable(series: readonly Series[], unit: RateUnit): DataTable {
  const columns = [
    "series",
    "time (s)",
    `throughput minimum (${unit})`,
    `throughput mean (${unit})`,
    `throughput maximum (${unit})`,
    "peak latency (ms)",
    ...CPU.map(([, name, , longName]) => `CPU ${longName ?? name} (%)`),
    ...DEVICE.map(([, name]) => `device ${name} (${unit})`),
  ];
  const rows = series.flatMap(({ name, samples }) => {
    const peak = peakOf(samples);
    const value = (column: string, index: number, change: (raw: number) => number): Value => {
      const raw = columnOf(samples, column)[index] ?? null;
      return raw === null ? null : rounded(change(raw));
    };
    const rate = (bytesPerS: number) => rateIn(bytesPerS, unit);
    const percent = (share: number) => share * 100;
    return columnOf(samples, "t_ns").map((endNs, index): Value[] => [
      name,
      rounded((endNs ?? 0) / 1e9),
      value("rate_min_bytes_per_s", index, rate),
      value("rate_mean_bytes_per_s", index, rate),
      value("rate_max_bytes_per_s", index, rate),
      milliseconds(peak[index] ?? null),
      ...CPU.map(([column]) => value(column, index, percent)),
      ...DEVICE.map(([column]) => value(column, index, rate)),
    ]);
  });
  return { columns, rows };
}

const milliseconds = (ns: number | null): Value => (ns === null ? null : rounded(ns / 1e6));

/** Six significant digits: more than any of these is known to, without the noise of floating point. */
const rounded = (value: number): number => Number(value.toPrecision(6));

/** "between 0.9 and 1.4": the range of a column in words, for a picture's description. */
export function rangeWords(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return "unknown";
  return `${figure(Math.min(...known))} to ${figure(Math.max(...known))}`;
}
