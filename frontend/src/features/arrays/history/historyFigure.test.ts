import { expect, it } from "vitest";
import type { ArrayHistory } from "@/api/shapes";
import { palette } from "@/charts/testPalette";
import { heldLevels } from "@/features/kinds/testLevels";
import {
  type ChangesOfRun,
  historyFigure,
  historyTable,
  MOST_MARKS,
  placesOf,
  spanOf,
} from "./historyFigure";

type Point = ArrayHistory["points"][number];

const HOUR = 3_600_000;
const START = Date.parse("2026-11-21T01:00:00Z");

const point = (hour: number, place = "web-1 /mnt/a"): Point => ({
  run_id: 40 + hour,
  campaign_id: 7,
  campaign_name: "Acceptance",
  at: new Date(START + hour * HOUR).toISOString(),
  places: [place],
  bytes_per_s: (hour + 1) * 1e6,
  levels: null,
  verdict: "pass",
});

const changed = (number: number, hour: number): ChangesOfRun => ({
  number,
  run_id: 40 + hour,
  at: new Date(START + hour * HOUR).toISOString(),
  changes: [],
});

it("draws a line for each place, at the start of its runs", () => {
  const points = [point(0), point(1, "web-2 /mnt/a"), point(2)];
  const { plot } = historyFigure(points, [], "MB/s", palette);
  expect(placesOf(points)).toEqual(["web-1 /mnt/a", "web-2 /mnt/a"]);
  expect(plot.strips[0]?.lines.map(({ name, x, y }) => [name, x, y])).toEqual([
    ["web-1 /mnt/a", [START, START + 2 * HOUR], [1, 3]],
    ["web-2 /mnt/a", [START + HOUR], [2]],
  ]);
  expect(plot.places?.map(({ at }) => at)).toEqual([0, 1, 2].map((hour) => START + hour * HOUR));
});

it("draws every level of a run whose rate changed, and joins the last ones", () => {
  const fell = { ...point(1), levels: heldLevels([300e6, 3.5], [100e6, 7], [31.5e6, 9.5]) };
  const { plot } = historyFigure([point(0), fell], [], "MB/s", palette);
  expect(plot.strips[0]?.lines.map(({ name, y }) => [name, y])).toEqual([
    ["web-1 /mnt/a", [1, 31.5]],
    ["earlier levels", [300, 100]],
  ]);
  expect(plot.places?.[1]?.text.replaceAll("\u00a0", " ")).toContain(
    "300 MB/s for 3.50 s (1.05 GB), then 100 MB/s for 7.00 s (700 MB), then 31.5 MB/s",
  );
});

it("has a time axis around a single run", () => {
  const [from, to] = spanOf([point(0)]);
  expect(from).toBeLessThan(START);
  expect(to).toBeGreaterThan(START);
  const { layout } = historyFigure([point(0)], [], "MB/s", palette);
  const { tickvals, range } = layout.xaxis as { tickvals: number[]; range: number[] };
  expect(range).toEqual([from, to]);
  expect(tickvals.every((at) => from < at && at < to)).toBe(true);
});

it("marks the newest changes, without a number where two would overlap", () => {
  const points = [point(0), point(100)];
  const near = historyFigure(points, [changed(1, 50), changed(2, 51)], "MB/s", palette);
  expect(near.marks.map(({ label }) => label)).toEqual(["1", ""]);
  const many = Array.from({ length: 20 }, (_, index) => changed(index + 1, index * 5));
  const { marks } = historyFigure(points, many, "MB/s", palette);
  expect(marks).toHaveLength(MOST_MARKS);
  expect(marks.at(-1)?.label).toBe("20");
});

it("has different ticks inside a zoomed range of a few minutes", () => {
  const shown = [START, START + HOUR / 60] as const;
  const { layout } = historyFigure([point(0), point(100)], [], "MB/s", palette, shown);
  const { tickvals, ticktext } = layout.xaxis as { tickvals: number[]; ticktext: string[] };
  expect(new Set(ticktext).size).toBe(tickvals.length);
  expect(tickvals.every((at) => at >= shown[0] && at <= shown[1])).toBe(true);
});

it("has all values in its table", () => {
  expect(historyTable([point(1)], "MB/s").rows).toEqual([
    ["2026-11-21T02:00:00.000Z", 41, "Acceptance", "web-1 /mnt/a", 2, "", "pass"],
  ]);
});
