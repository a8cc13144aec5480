import { describe, expect, it } from "vitest";
import type { Samples } from "@/api/shapes";
import { timeAxis } from "@/charts/figure";
import { cpuStrip, implausibleWords, memoryStrip, stackedCpuStrip } from "./hostStrips";

const samples = (cpu: (number | null)[], implausible: Samples["implausible"] = []): Samples =>
  ({
    trial_id: 1,
    attempt: 1,
    sample_ns: 1e9,
    count: cpu.length,
    level: 0,
    implausible,
    columns: {
      t_ns: cpu.map((_, index) => (index + 1) * 1e9),
      dt_ns: cpu.map(() => 1e9),
      phase: cpu.map(() => 0),
      cpu_busiest: cpu,
      cpu_steal: cpu.map(() => 0.25),
    },
  }) as unknown as Samples;

describe("the CPU strip", () => {
  it("draws steal as a separate line and omits implausible values", () => {
    const strip = cpuStrip(samples([0.5, null, 1]), 3e9, 80);
    const lines = new Map(strip?.lines.map(({ name, y }) => [name, y]));
    expect(lines.get("steal")).toEqual([25, 25, 25]);
    expect(lines.get("busiest core")).toEqual([50, null, 100]);
  });

  it("is absent if the trial was too short for a share", () => {
    const short = samples([null]);
    short.columns.cpu_steal = [null];
    expect(cpuStrip(short, 1e9, 80)).toBeNull();
  });
});

describe("the stacked CPU strip", () => {
  const stacked = (count: number) => {
    const found = samples(Array.from({ length: count }, () => 0.9));
    const lines = stackedCpuStrip(found, 80, timeAxis(1e9))?.lines ?? [];
    return Object.fromEntries(lines.map(({ name, stacked: one }) => [name, one]));
  };

  it("stacks the shares of all CPUs, but not the busiest core", () => {
    expect(stacked(12)).toEqual({ steal: true, "busiest core": false });
  });

  it("stacks no points", () => {
    expect(stacked(3)).toEqual({ steal: false, "busiest core": false });
  });
});

describe("the strip of dirty memory", () => {
  const dirty = (bytes: number[]) => {
    const found = samples(bytes.map(() => 0.5));
    found.columns.mem_dirty_bytes = bytes;
    found.columns.mem_writeback_bytes = bytes.map(() => 0);
    return memoryStrip(found, 3e9, 72);
  };

  it("has one unit for what is dirty and what is in writeback", () => {
    const large = dirty([0, 4e9, 2e9]);
    expect(large?.unit).toBe("GB");
    expect(large?.lines.map(({ name, y }) => [name, y])).toEqual([
      ["dirty", [0, 4, 2]],
      ["in writeback", [0, 0, 0]],
    ]);
    expect(dirty([0, 5e6, 0])?.unit).toBe("MB");
  });

  it("is absent if the host did not record it", () => {
    expect(memoryStrip(samples([0.5]), 1e9, 72)).toBeNull();
  });
});

describe("a figure that cannot be true", () => {
  it("is reported with its value, its time and how often", () => {
    const found = { column: "cpu_busiest", t_ns: 2e9, share: 1.55, count: 3 };
    expect(implausibleWords(samples([0.5], [found]))).toBe(
      "Not drawn because the host reported impossible values: busiest core 155 % at 2.00 s and 2 more.",
    );
    expect(implausibleWords(samples([0.5]))).toBeNull();
  });
});
