import type { Marks } from "@/api/shapes";
import type { DataTable, Value } from "@/charts/dataTable";
import { type RateUnit, rateIn } from "@/components/quantities";
import type { Operation } from "@/features/kinds/sustained/shapes";
import { dataWords, timeWords } from "@/features/kinds/sustained/words";

/** The marks one below the other, in the units of the picture. */
export function marksTable(
  marks: Marks | undefined,
  operation: Operation | null,
  unit: RateUnit,
): DataTable {
  const rate = (bytesPerS: number) => rateIn(bytesPerS, unit);
  const ms = (ns: number) => ns / 1e6;
  const columns: [title: string, name: string, change: (value: number) => number][] = [
    [`${dataWords(operation)} (GB)`, "end_bytes", (bytes) => bytes / 1e9],
    ["time (s)", "t_ns", (ns) => ns / 1e9],
    [`throughput minimum (${unit})`, "rate_min_bytes_per_s", rate],
    [`throughput mean (${unit})`, "rate_mean_bytes_per_s", rate],
    [`throughput maximum (${unit})`, "rate_max_bytes_per_s", rate],
    [`mean ${timeWords(operation)} (ms)`, "lat_mean_ns", ms],
    [`p99 ${timeWords(operation)} (ms)`, "lat_p99_ns", ms],
    [`peak ${timeWords(operation)} (ms)`, "lat_max_ns", ms],
    ["peak from due time (ms)", "due_max_ns", ms],
    ["backlog (MB)", "backlog_bytes", (bytes) => bytes / 1e6],
  ];
  const count = marks?.columns.t_ns?.length ?? 0;
  return {
    columns: columns.map(([title]) => title),
    rows: Array.from({ length: count }, (_, index) =>
      columns.map(([, name, change]): Value => {
        const value = marks?.columns[name]?.[index] ?? null;
        return value === null ? null : Number(change(value).toPrecision(6));
      }),
    ),
  };
}

/** The marks of each direction, with a column that names it where there are two. */
export function marksTables(
  parts: readonly { operation: Operation }[],
  marks: readonly Marks[],
  operation: Operation | null,
  unit: RateUnit,
): DataTable {
  const tables = marks.map((one) => marksTable(one, operation, unit));
  const [first, ...others] = tables;
  if (!first || others.length === 0) return first ?? marksTable(undefined, operation, unit);
  return {
    columns: ["operation", ...first.columns],
    rows: tables.flatMap(({ rows }, at) => rows.map((row) => [parts[at]?.operation ?? "", ...row])),
  };
}
