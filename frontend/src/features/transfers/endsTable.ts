import type { DataTable, Value } from "@/charts/dataTable";
import { type RateUnit, rateIn } from "@/components/quantities";
import { columnOf } from "@/features/samples/series";
import type { EndSamples } from "./courses";

type Column = [title: string, name: string, change: (value: number) => number];

/**
 * The samples of both ends one below the other, in the units of the picture, each with the streams'
 * figures of the interval that ends at the same time.
 */
export function endsTable(ends: readonly EndSamples[], unit: RateUnit): DataTable {
  const rate = (bytesPerS: number) => rateIn(bytesPerS, unit);
  const percent = (share: number) => share * 100;
  const ms = (ns: number) => ns / 1e6;
  const same = (value: number) => value;
  const ofSamples: Column[] = [
    ["time (s)", "t_ns", (ns) => ns / 1e9],
    [`throughput mean (${unit})`, "rate_mean_bytes_per_s", rate],
    [`device read (${unit})`, "dev_read_bytes_per_s", rate],
    [`device written (${unit})`, "dev_write_bytes_per_s", rate],
    ["CPU user (%)", "cpu_user", percent],
    ["CPU system (%)", "cpu_system", percent],
    ["CPU soft interrupts (%)", "cpu_softirq", percent],
    ["CPU I/O wait (%)", "cpu_iowait", percent],
    ["CPU steal (%)", "cpu_steal", percent],
    ["CPU busiest core (%)", "cpu_busiest", percent],
  ];
  const ofLinks: Column[] = [
    [`card sent (${unit})`, "card_tx_bytes_per_s", rate],
    [`card received (${unit})`, "card_rx_bytes_per_s", rate],
    ["round trip minimum (ms)", "rtt_min_ns", ms],
    ["round trip mean (ms)", "rtt_mean_ns", ms],
    ["round trip maximum (ms)", "rtt_max_ns", ms],
    ["retransmitted segments", "retransmits", same],
    ["congestion windows (kB)", "cwnd_bytes", (bytes) => bytes / 1e3],
    ["limited by the receive window (%)", "receive_window_limited", percent],
    ["limited by the send buffer (%)", "send_buffer_limited", percent],
    ["waited on a full ring (%)", "ring_full", percent],
    ["waited on an empty ring (%)", "ring_empty", percent],
    ["packets dropped by the card", "card_dropped", same],
    ["packets dropped by the host", "softnet_dropped", same],
  ];
  return {
    columns: [
      "end",
      "host",
      ...ofSamples.map(([title]) => title),
      ...ofLinks.map(([title]) => title),
    ],
    rows: ends.flatMap(({ role, host, samples, links }) => {
      const linkAt = new Map(columnOf(links, "t_ns").map((end, index) => [end, index]));
      return columnOf(samples, "t_ns").map((end, index) => [
        role,
        host,
        ...ofSamples.map((column) => cellOf(column, samples, index)),
        ...ofLinks.map((column) => cellOf(column, links, linkAt.get(end))),
      ]);
    }),
  };
}

function cellOf(
  [, name, change]: Column,
  of: Parameters<typeof columnOf>[0],
  index: number | undefined,
): Value {
  const value = index === undefined ? null : (columnOf(of, name)[index] ?? null);
  return value === null ? null : Number(change(value).toPrecision(6));
}
