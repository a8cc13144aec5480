import { describe, expect, it } from "vitest";
import { spreadApart } from "./endLabels";
import type { Line, Strip } from "./figure";
import { aroundMark, stripsFigure, withFittingNames } from "./strips";
import { palette } from "./testPalette";

const options = { palette, xTitle: "Time (s)", revision: "cell" };
const rate: Strip = {
  title: "Throughput",
  unit: "MB/s",
  height: 180,
  lines: [
    {
      name: "repeat 1",
      style: 0,
      x: [1, 2],
      y: [90, 110],
      band: { low: [0, 100], high: [100, 120] },
      label: "1",
    },
  ],
};
const latency: Strip = {
  title: "Peak latency",
  unit: "ms",
  height: 80,
  lines: [{ name: "repeat 1", style: 0, x: [1, 2], y: [3, 4] }],
};

describe("phases", () => {
  const { layout } = stripsFigure([rate], {
    ...options,
    phases: [
      { name: "ramp-up", from: 0, to: 1 },
      { name: "steady window", from: 1, to: 9 },
    ],
  });
  const names = (width: number, shown: [number, number]) =>
    (withFittingNames(layout, width, shown).shapes as { label?: { text: string } }[]).flatMap(
      ({ label }) => label?.text || [],
    );

  it("have a name only where it fits", () => {
    expect(names(600, [0, 10])).toEqual(["ramp-up", "steady window"]);
    expect(names(300, [0, 10])).toEqual(["steady window"]);
    expect(names(100, [0, 10])).toEqual([]);
  });

  it("get their name back when a zoom shows enough of them", () => {
    expect(names(100, [0, 1])).toEqual(["ramp-up"]);
  });
});

describe("strips", () => {
  it("share one time axis and cursor", () => {
    const { traces, layout } = stripsFigure([rate, latency], options);
    expect(new Set(traces.map((trace) => trace.xaxis))).toEqual(new Set(["x"]));
    expect(new Set(traces.map((trace) => trace.yaxis))).toEqual(new Set(["y", "y2"]));
    expect(layout).toMatchObject({
      uirevision: "cell",
      xaxis: { anchor: "y2" },
    });
  });

  it("start at zero and leave room above the band’s maximum", () => {
    const { layout } = stripsFigure([rate], options);
    const [low, high] = (layout.yaxis as { range: [number, number] }).range;
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(120);
  });

  it("draw minimum and maximum as a band behind the mean", () => {
    const { traces } = stripsFigure([rate], options);
    expect(traces.map((trace) => trace.name)).toEqual([
      "repeat 1 minimum",
      "repeat 1 maximum",
      "repeat 1",
    ]);
    expect(traces[1]?.fill).toBe("tonexty");
  });

  it("show a limit near the data as a line, and one far above it as a label only", () => {
    const near = { value: 200, label: "app.mean ≥ 200 MB/s" };
    const far = { value: 1250, label: "durable.mean ≥ 1250 MB/s" };
    const { layout } = stripsFigure([{ ...rate, limits: [near, far] }], options);
    const [, ceiling] = (layout.yaxis as { range: [number, number] }).range;
    expect(ceiling).toBeGreaterThan(200);
    expect(ceiling).toBeLessThan(1250);
    expect(layout.shapes).toMatchObject([{ type: "line", y0: 200, y1: 200, yref: "y" }]);
    const labels = layout.annotations as { text: string; y: number; yshift: number }[];
    const above = labels.find(({ text }) => text.startsWith("↑"));
    expect(above?.y).toBe(ceiling);
    expect(above?.yshift).toBeLessThan(0); // inside the strip, below its title
    const texts = (layout.annotations as { text: string }[]).map(({ text }) => text);
    expect(texts).toContain("app.mean ≥ 200 MB/s");
    expect(texts).toContain("↑ durable.mean ≥ 1250 MB/s");
  });

  it("keep a label at its line's end if no other line ends near it", () => {
    const [first] = rate.lines;
    const early = { ...first, x: [1, 2], y: [90, 100], label: "early" } as Line;
    const late = { ...first, x: [1, 20], y: [90, 101], label: "late" } as Line;
    const { layout } = stripsFigure([{ ...rate, lines: [early, late] }], options);
    const labels = (layout.annotations as { text: string; yshift: number }[]).filter(({ text }) =>
      ["early", "late"].includes(text),
    );
    expect(labels.map(({ yshift }) => yshift)).toEqual([0, 0]);
  });

  it("do not overlap", () => {
    const { layout } = stripsFigure([rate, latency], options);
    const domain = (name: string) => (layout[name] as { domain: [number, number] }).domain;
    expect(domain("yaxis")[0]).toBeGreaterThan(domain("yaxis2")[1]);
    expect(domain("yaxis2")[0]).toBeCloseTo(0);
  });
});

describe("labels at the lines’ ends", () => {
  it("are pushed apart, keep their order and their middle", () => {
    const moved = spreadApart([10, 11, 50], 15, 100);
    const sorted = [...moved].sort((a, b) => a - b);
    expect(moved).toEqual(sorted);
    expect((sorted[1] as number) - (sorted[0] as number)).toBeGreaterThanOrEqual(15);
    expect(moved.reduce((a, b) => a + b)).toBeCloseTo(71);
  });

  it("stay inside their strip", () => {
    expect(spreadApart([0, 1, 2], 15, 100)).toEqual([0, 15, 30]);
    expect(spreadApart([99, 100], 15, 100)).toEqual([85, 100]);
  });
});

describe("a mark", () => {
  const mark = { at: 1.2, label: "350 → 41.0 MB/s", sentence: "The rate fell." };

  it("is a line through all strips with its label", () => {
    const { layout, marks } = stripsFigure([rate, latency], { ...options, marks: [mark] });
    expect(marks).toEqual([mark]);
    expect(layout.shapes).toMatchObject([{ type: "line", x0: 1.2, x1: 1.2, y0: 0, y1: 1 }]);
    expect(layout.annotations).toContainEqual(
      expect.objectContaining({ text: mark.label, x: 1.2, xanchor: "left" }),
    );
  });

  it("has its label on the side with more room", () => {
    const { layout } = stripsFigure([rate], { ...options, marks: [{ ...mark, at: 1.9 }] });
    expect(layout.annotations).toContainEqual(
      expect.objectContaining({ text: mark.label, xanchor: "right" }),
    );
  });

  it("has its label in another row than its neighbors", () => {
    const marks = [0.4, 0.5, 0.5].map((at) => ({ ...mark, at }));
    const { layout } = stripsFigure([rate], { ...options, marks });
    const shown = layout.annotations as { text: string; yshift: number }[];
    const rows = shown.filter(({ text }) => text === mark.label).map(({ yshift }) => yshift);
    expect(new Set(rows).size).toBe(3);
  });

  it("can be zoomed to, within the whole time", () => {
    expect(aroundMark(50, [0, 100])).toEqual([40, 60]);
    expect(aroundMark(5, [0, 100])).toEqual([0, 15]);
    expect(aroundMark(98, [0, 100])).toEqual([88, 100]);
  });
});
