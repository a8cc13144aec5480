import { expect, it } from "vitest";
import type { Mesh, MeshGrid } from "@/api/shapes";
import { meshGrid, runOf } from "./MeshSection";

const place = (id: number, host: string) => ({ host_id: id, host, target_id: null, path: null });
const cell = (run: number, source: number, sink: number, rate: number | null) => ({
  source,
  sink,
  run_id: run,
  state: "running" as const,
  bytes_per_s: rate,
  headline: null,
});
const grid: MeshGrid = {
  test: 1,
  title: "Memory",
  kind: "other",
  cells: [cell(61, 0, 1, 1.2e9), cell(62, 1, 0, 110e6)],
};
const mesh: Mesh = { campaign_id: 7, places: [place(1, "a"), place(2, "b")], grids: [grid] };

it("has a row for each source, a column for each destination, and no cell to itself", () => {
  const { rows } = meshGrid(mesh, grid, [{ id: 61, state: "done" }], "MB/s");
  const [first, second] = rows;
  expect(first?.cells.map(({ text, state }) => [text, state])).toEqual([
    ["", "empty"],
    ["1200", "done"],
  ]);
  expect(second?.cells[0]).toMatchObject({ text: "110", state: "running" });
  expect(first?.cells[0]?.sentence).toBe("a memory: no transfer to itself");
  expect(rows.flatMap(({ cells }) => cells.map(({ best }) => best))).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

it("opens the run of a cell, and none of an empty one", () => {
  const [first] = meshGrid(mesh, grid, [], "MB/s").rows;
  expect(first?.cells.map(({ key }) => runOf(key))).toEqual([null, 61]);
});

it("says the state of a pair that has no rate yet", () => {
  const waiting = { ...grid, cells: [{ ...cell(61, 0, 1, null), state: "queued" as const }] };
  const [first] = meshGrid(mesh, waiting, [], "MB/s").rows;
  expect(first?.cells[1]).toMatchObject({ text: "", note: "queued", fill: null });
});
