import { expect, it } from "vitest";
import type { Marks, Samples } from "@/api/shapes";
import { axisTitle, bytesAt, extentOf, mainStrips, nsAt, overData, trialStrips } from "./strips";

const SECOND = 1e9;

/** Two marks of 2 GB in one second each, then one in four: a cliff. */
const MARKS: Marks = {
  trial_id: 1,
  participant_id: 1,
  attempt: 1,
  columns: {
    begin_bytes: [0, 2e9, 4e9],
    end_bytes: [2e9, 4e9, 6e9],
    t_ns: [SECOND, 2 * SECOND, 6 * SECOND],
    dt_ns: [SECOND, SECOND, 4 * SECOND],
    rate_mean_bytes_per_s: [2e9, 2e9, 5e8],
    rate_min_bytes_per_s: [2e9, 2e9, 5e8],
    rate_max_bytes_per_s: [2e9, 2e9, 5e8],
    lat_max_ns: [1e6, 2e6, 9e8],
    backlog_bytes: [null, null, null],
  },
};

const TIMES = Array.from({ length: 13 }, (_, n) => ((n + 1) * SECOND) / 2);

const SAMPLES: Samples = {
  trial_id: 1,
  participant_id: 1,
  attempt: 1,
  sample_ns: SECOND / 2,
  count: 13,
  level: 0,
  implausible: [],
  columns: {
    t_ns: TIMES,
    dt_ns: TIMES.map(() => SECOND / 2),
    phase: TIMES.map((_, n) => (n < 12 ? 0 : 1)),
    rate_mean_bytes_per_s: TIMES.map(() => 1e9),
    lat_max_ns: TIMES.map(() => 1e6),
    cpu_user: TIMES.map(() => 0.5),
  },
};

const WHOLE = { marks: MARKS, samples: SAMPLES };
const OPTIONS = {
  name: "repeat 1",
  label: "",
  style: 0,
  operation: "write",
  unit: "MB/s",
} as const;

it("converts between time and data in proportion within a mark", () => {
  expect(bytesAt(MARKS, 1.5 * SECOND)).toBe(3e9);
  expect(bytesAt(MARKS, 4 * SECOND)).toBe(5e9);
  expect(nsAt(MARKS, 5e9)).toBe(4 * SECOND);
  expect(bytesAt(MARKS, 99 * SECOND)).toBe(6e9);
});

it.each([
  ["read", "Data read (GB)", "Peak read time"],
  [null, "Data (GB)", "Peak operation time"],
] as const)("names what %s trials do", (operation, axis, peak) => {
  const options = { ...OPTIONS, operation };
  for (const over of ["time", "data"] as const) {
    const strips = mainStrips([{ shown: WHOLE, options }], extentOf(WHOLE, over));
    expect(strips.map(({ title }) => title)).toEqual(["Throughput", peak]);
  }
  expect(axisTitle(extentOf(WHOLE, "data"), operation)).toBe(axis);
});

it("draws marks over the data written with their extremes", () => {
  const extent = extentOf(WHOLE, "data");
  expect(extent).toMatchObject({ end: 6e9, axis: { unit: "GB" } });
  const [throughput, peak] = mainStrips([{ shown: WHOLE, options: OPTIONS }], extent);
  expect(throughput?.lines[0]?.x).toEqual([0, 2, 4, 6]);
  expect(throughput?.lines[0]?.y).toEqual([2000, 2000, 2000, 500]);
  expect(peak?.lines[0]?.y).toEqual([1, 1, 2, 900]);
});

it("shows the data as a share of memory, where that is known", () => {
  const extent = extentOf(WHOLE, "memory", 4e9);
  const [throughput] = mainStrips([{ shown: WHOLE, options: OPTIONS }], extent);
  expect(axisTitle(extent, "write")).toBe("Data written (% of memory)");
  expect(throughput?.lines[0]?.x).toEqual([0, 50, 100, 150]);
  expect(axisTitle(extentOf(WHOLE, "memory"), "write")).toBe("Data written (GB)");
});

it("draws the host's load over the data, without the final sync", () => {
  const moved = overData(SAMPLES, MARKS);
  expect(moved.columns.t_ns).toHaveLength(12);
  expect(moved.columns.t_ns?.at(-1)).toBe(6e9);
  const strips = trialStrips(
    [{ shown: WHOLE, whole: WHOLE, options: OPTIONS }],
    extentOf(WHOLE, "data"),
  );
  const cpu = strips.find(({ title }) => title === "CPU");
  expect(cpu?.lines[0]?.x.at(-1)).toBe(6);
  expect(cpu?.lines[0]?.y).toHaveLength(13);
});

it("shows a verdict's limits in the units of their strips", () => {
  const limits = {
    throughput: [{ value: 1.25e9, label: "app.mean ≥ 1250 MB/s" }],
    operationTime: [{ value: 2e7, label: "write.p99 < 20 ms" }],
  };
  for (const over of ["time", "data"] as const) {
    const strips = trialStrips(
      [{ shown: WHOLE, whole: WHOLE, options: { ...OPTIONS, limits } }],
      extentOf(WHOLE, over),
    );
    const shown = Object.fromEntries(strips.map(({ title, limits }) => [title, limits]));
    expect(shown.Throughput).toEqual([{ value: 1250, label: "app.mean ≥ 1250 MB/s" }]);
    expect(shown["Peak write time"]).toEqual([{ value: 20, label: "write.p99 < 20 ms" }]);
    expect(shown.CPU).toBeUndefined();
  }
});

it("has a backlog only where a rate was paced", () => {
  const titles = (marks: Marks) =>
    trialStrips(
      [{ shown: { ...WHOLE, marks }, whole: WHOLE, options: OPTIONS }],
      extentOf(WHOLE, "data"),
    ).map(({ title }) => title);
  expect(titles(MARKS)).not.toContain("Backlog");
  const paced = { ...MARKS, columns: { ...MARKS.columns, backlog_bytes: [0, 1e6, 5e6] } };
  expect(titles(paced)).toContain("Backlog");
});

it("draws both directions as lines of the same strips", () => {
  const marks = { ...MARKS, columns: { ...MARKS.columns, backlog_bytes: [0, 1e6, 5e6] } };
  const part = (name: string, style: number) => ({
    shown: { ...WHOLE, marks },
    whole: WHOLE,
    options: { ...OPTIONS, name, style, operation: null },
  });
  const strips = trialStrips([part("writes", 0), part("reads", 1)], extentOf(WHOLE, "data"));
  const names = (title: string) =>
    strips.find((strip) => strip.title === title)?.lines.map(({ name }) => name);
  expect(names("Throughput")).toEqual(["writes", "reads"]);
  expect(names("Peak operation time")).toEqual(["writes", "reads"]);
  expect(names("Backlog")).toEqual(["backlog, writes", "backlog, reads"]);
});
