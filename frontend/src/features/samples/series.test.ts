import { describe, expect, it } from "vitest";
import type { Samples } from "@/api/shapes";
import { seriesTable } from "./hostStrips";
import { latencyStrip, type Series, syncPhases, throughputStrip } from "./series";

const columns = {
  t_ns: [1e9, 2e9, 3e9],
  dt_ns: [1e9, 1e9, 1e9],
  phase: [0, 0, 1],
  rate_min_bytes_per_s: [90e6, 0, 0],
  rate_mean_bytes_per_s: [100e6, 50e6, 0],
  rate_max_bytes_per_s: [110e6, 90e6, 0],
  lat_max_ns: [2e6, 3e6, 0],
  oldest_ns: [1e6, 800e6, 0],
  cpu_user: [0.1, 0.2, null],
};
const samples: Samples = {
  trial_id: 3,
  participant_id: 7,
  attempt: 1,
  sample_ns: 1e9,
  count: 30,
  level: 1,
  implausible: [],
  columns,
};
const series: Series[] = [{ name: "repeat 1", label: "1", style: 0, samples }];

describe("samples as strips", () => {
  it("hold each value over the interval that ends at its time", () => {
    const [line] = throughputStrip(series, "MB/s", 100).lines;
    expect(line).toMatchObject({ x: [0, 1, 2], y: [100, 100, 50], stepped: true });
    expect(line?.band?.low).toEqual([90, 90, 0]);
  });

  it("have no band where each point is one sample, whose minimum and maximum are its mean", () => {
    const single = series.map((each) => ({ ...each, samples: { ...samples, count: 3 } }));
    expect(throughputStrip(single, "MB/s", 100).lines[0]?.band).toBeUndefined();
  });

  it("draw no spike at the end of a phase, and keep its fragment in the table", () => {
    const cut = {
      ...columns,
      t_ns: [1e9, 1.003e9, 2e9],
      dt_ns: [1e9, 0.003e9, 0.997e9],
      rate_mean_bytes_per_s: [100e6, 3090e6, 0],
      rate_max_bytes_per_s: [100e6, 3090e6, 0],
    };
    const spiked = series.map((each) => ({
      ...each,
      samples: { ...samples, count: 3, columns: cut },
    }));
    const [line] = throughputStrip(spiked, "MB/s", 100).lines;
    expect(line?.x).toHaveLength(1);
    expect(Math.max(...(line?.y ?? []).map(Number))).toBeLessThan(110);
    const table = seriesTable(spiked, "MB/s");
    const mean = table.columns.indexOf("throughput mean (MB/s)");
    expect(table.rows.map((row) => row[mean])).toEqual([100, 3090, 0]);
  });

  it("raise no band above all others at its end, where a fragment may be the fastest sample", () => {
    const long = { ...columns, phase: [0, 0, 0], rate_max_bytes_per_s: [110e6, 90e6, 3090e6] };
    const thinned = series.map((each) => ({ ...each, samples: { ...samples, columns: long } }));
    expect(throughputStrip(thinned, "MB/s", 100).lines[0]?.band?.high).toEqual([110, 110, 90, 110]);
  });

  it("end the throughput where the final sync begins, and shade the rest", () => {
    expect(syncPhases(samples, { unit: "s", size: 1e9 })).toEqual([
      { name: "final sync", from: 2, to: 3 },
    ]);
    expect(throughputStrip(series, "MB/s", 100).lines[0]?.x).not.toContain(3);
  });

  it("show a hung operation while it hangs", () => {
    expect(latencyStrip(series, 100).lines[0]?.y).toEqual([2, 2, 800, null]);
  });

  it("never show the age of the final sync as a latency", () => {
    const synced = { ...columns, lat_max_ns: [28.8e6, 20e6, 0], oldest_ns: [0, 0, 2000e6] };
    const [line] = latencyStrip(
      series.map((each) => ({ ...each, samples: { ...samples, columns: synced } })),
      100,
    ).lines;
    expect(Math.max(...(line?.y ?? []).map(Number))).toBe(28.8);
  });

  it("are points where there are fewer than ten", () => {
    const few = series.map((each) => ({ ...each, samples: { ...samples, count: 9 } }));
    const [line] = throughputStrip(few, "MB/s", 100).lines;
    expect(line).toMatchObject({ x: [0.5, 1.5], y: [100, 50], points: true });
    expect(line?.band).toBeUndefined();
  });

  it("continue with the device's rate while the final sync runs", () => {
    const synced = { ...columns, dev_write_bytes_per_s: [40e6, 50e6, 80e6] };
    const [, device] = throughputStrip(
      series.map((each) => ({ ...each, samples: { ...samples, columns: synced } })),
      "MB/s",
      100,
    ).lines;
    expect(device).toMatchObject({
      name: "repeat 1, device in the final sync",
      y: [null, null, null, 80],
    });
  });

  it("are a table with the same values, and with gaps where nothing was measured", () => {
    const { columns: heads, rows } = seriesTable(series, "MB/s");
    const row = Object.fromEntries(heads.map((head, index) => [head, rows[1]?.[index]]));
    expect(row).toMatchObject({
      series: "repeat 1",
      "time (s)": 2,
      "throughput minimum (MB/s)": 0,
      "throughput mean (MB/s)": 50,
      "peak latency (ms)": 800,
      "CPU user (%)": 20,
      "device written (MB/s)": null,
    });
  });

  it("leave a field empty if no peak is known", () => {
    const blind = { ...columns, lat_max_ns: [2e6, null, 0], oldest_ns: [1e6, null, 0] };
    const table = seriesTable(
      [{ ...(series[0] as Series), samples: { ...samples, columns: blind } }],
      "MB/s",
    );
    const peak = table.columns.indexOf("peak latency (ms)");
    expect(table.rows.map((row) => row[peak])).toEqual([2, null, null]);
    expect(table.columns).toEqual(
      expect.arrayContaining(["CPU soft interrupts (%)", "CPU busiest core (%)"]),
    );
  });
});
