import { describe, expect, it } from "vitest";
import type { Samples } from "@/api/shapes";
import { cpuStrip, implausibleWords } from "./hostStrips";

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

describe("a figure that cannot be true", () => {
  it("is reported with its value, its time and how often", () => {
    const found = { column: "cpu_busiest", t_ns: 2e9, share: 1.55, count: 3 };
    expect(implausibleWords(samples([0.5], [found]))).toBe(
      "Not drawn because the host reported impossible values: busiest core 155 % at 2.00 s and 2 more.",
    );
    expect(implausibleWords(samples([0.5]))).toBeNull();
  });
});
