import type { DataTable, Value } from "@/charts/dataTable";
import { figure, type RateUnit, rateIn } from "@/components/quantities";
import { CPU, DEVICE } from "./hostStrips";
import { columnOf, peakOf, type Series } from "./series";

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
