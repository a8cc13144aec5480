import { describe, expect, it } from "vitest";
import type { Samples } from "@/api/shapes";
import { joinedFragments } from "./fragments";

const samplesOf = (columns: Samples["columns"], count = columns.t_ns?.length ?? 0): Samples => ({
  trial_id: 3,
  participant_id: 7,
  attempt: 1,
  sample_ns: 1e9,
  count,
  level: 0,
  implausible: [],
  columns,
});

describe("a fragment of an interval", () => {
  it("is joined with the interval before, weighted by time, and keeps its peak", () => {
    const cut = samplesOf({
      t_ns: [1e9, 2e9, 2.1e9],
      dt_ns: [1e9, 1e9, 0.1e9],
      phase: [0, 0, 0],
      rate_min_bytes_per_s: [100, 90, 640],
      rate_mean_bytes_per_s: [100, 90, 640],
      rate_max_bytes_per_s: [100, 90, 640],
      lat_max_ns: [1, 2, 9],
      dev_write_bytes_per_s: [5, null, 7],
      cpu_user: [0.5, 0.5, null],
    });
    const { columns, count } = joinedFragments(cut);
    expect(count).toBe(2);
    expect(columns).toMatchObject({
      t_ns: [1e9, 2.1e9],
      dt_ns: [1e9, 1.1e9],
      rate_mean_bytes_per_s: [100, (90 + 64) / 1.1],
      rate_max_bytes_per_s: [100, 90],
      lat_max_ns: [1, 9],
      dev_write_bytes_per_s: [5, 7],
      cpu_user: [0.5, 0.5],
    });
  });

  it("stays where there is none before it", () => {
    const columns = {
      t_ns: [0.1e9, 1.1e9],
      dt_ns: [0.1e9, 1e9],
      phase: [0, 0],
      rate_mean_bytes_per_s: [1, 2],
    };
    expect(joinedFragments(samplesOf(columns)).columns).toEqual(columns);
  });

  it("of a sync neither lowers the writes' rate nor determines the device's axis", () => {
    const { columns } = joinedFragments(
      samplesOf({
        t_ns: [1e9, 2e9, 2.005e9],
        dt_ns: [1e9, 1e9, 0.005e9],
        phase: [0, 0, 1],
        rate_mean_bytes_per_s: [180, 180, 0],
        lat_max_ns: [20, 28, 0],
        oldest_ns: [0, 0, 2000],
        dev_write_bytes_per_s: [180, 180, 2000],
      }),
    );
    expect(columns).toMatchObject({
      t_ns: [1e9, 2.005e9],
      phase: [0, 0],
      rate_mean_bytes_per_s: [180, 180],
      lat_max_ns: [20, 28],
      oldest_ns: [0, 0],
    });
    expect(columns.dev_write_bytes_per_s?.[1]).toBeCloseTo(189, 0);
  });

  it("is shorter than a fifth of the sampling interval; whole samples are left as they are", () => {
    const whole = samplesOf({
      t_ns: [1e9, 1.2e9],
      dt_ns: [1e9, 0.2e9],
      phase: [0, 0],
      rate_mean_bytes_per_s: [100, 90],
    });
    expect(joinedFragments(whole)).toBe(whole);
  });
});
