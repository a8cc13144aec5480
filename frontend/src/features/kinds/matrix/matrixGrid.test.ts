import { describe, expect, it } from "vitest";
import { cividis } from "@/charts/color";
import type { MatrixCell, Reading } from "./matrix";
import { matrixGrid } from "./matrixGrid";
import { cell, flag, matrixOf, stat } from "./testMatrix";

const reading: Reading = { rate: "durable", stat: "mean", unit: "MB/s" };
const first = (one: Partial<MatrixCell>, read = reading) =>
  matrixGrid(matrixOf([cell(65536, 1, one), cell(65536, 2)]), read).rows[0]?.cells[0];
const trial = {
  id: 1,
  repeat: 1,
  status: "complete",
  application_bytes_per_s: 1,
  durable_bytes_per_s: 1,
  lat_max_ns: 1,
  again: false,
  verify_errors: 0,
  contention: null,
  writeback: null,
  bytes: 1,
  flags: [],
  bounded: false,
  attempts: 1,
  window_ns: null,
  participants: [],
  reason: null,
};

describe("a matrix as a grid", () => {
  it("has a row a block size and a column a thread count, and a place for a cell not yet there", () => {
    const grid = matrixGrid(matrixOf([cell(4096, 1), cell(1048576, 2)]), reading);
    expect(grid.rows.map((row) => row.label.replace("\u00a0", " "))).toEqual(["4 KiB", "1 MiB"]);
    expect(grid.columns.map((column) => column.label)).toEqual(["1", "2"]);
    expect(grid.rows[0]?.cells[1]).toMatchObject({ state: "empty", text: "–", fill: null });
  });

  it("shows the selected rate, statistic and unit", () => {
    expect(first({ durable: stat(1_387e6) })?.text).toBe("1390");
    expect(first({ durable: stat(1_000e6) }, { ...reading, stat: "worst" })?.text).toBe("900");
    expect(
      first({ application: stat(125e6) }, { ...reading, rate: "application", unit: "Gb/s" })?.text,
    ).toBe("1.00");
  });

  it("colors on its own scale, or on one that is shared", () => {
    const matrix = matrixOf([
      cell(4096, 1, { durable: stat(10) }),
      cell(4096, 2, { durable: stat(20) }),
    ]);
    expect(matrixGrid(matrix, reading).rows[0]?.cells.map(({ fill }) => fill)).toEqual([
      cividis(0),
      cividis(1),
    ]);
    const shared = matrixGrid(matrix, reading, { scale: { min: 0, max: 40 } });
    expect(shared.rows[0]?.cells[1]?.fill).toBe(cividis(0.5));
  });

  it("outlines the best and hatches what is within its noise, never both", () => {
    expect(first({ durable: stat(1, { best: true, within_noise: true }) })).toMatchObject({
      best: true,
      withinNoise: false,
    });
    expect(first({ durable: stat(1, { within_noise: true }) })).toMatchObject({
      withinNoise: true,
    });
  });

  it("shows a cell served by the page cache with a sign and the reason in words", () => {
    const marked = first({
      served_by: {
        durable: { source: "page_cache", reason: "device_bytes", evidence: ["61 % of the bytes"] },
        application: { source: "device", reason: "device_bytes", evidence: ["all"] },
      },
    });
    expect(marked?.badge?.letter).toBe("C");
    expect(marked?.sentence).toContain("served by the page cache: 61 % of the bytes");
  });

  it("shows a large amplification factor", () => {
    const evidence = ["After the sync, the device had taken 7.0 times the bytes claimed."];
    const amplified = { source: "device" as const, reason: "amplified" as const, evidence };
    const told = first({ served_by: { durable: amplified, application: amplified } });
    expect(told?.badge).toBeNull();
    expect(told?.sentence).toMatch(/repeats\. After the sync, .* 7\.0 times the bytes/);
  });

  it("outlines one cell, even if an older matrix shows another one as running", () => {
    const before = matrixOf([
      cell(65536, 1, { state: "running", repeats_done: 1 }),
      cell(65536, 2, { state: "empty", durable: null, repeats_done: 0 }),
    ]);
    const states = (running: { block: number; threads: number } | null | undefined) =>
      matrixGrid(before, reading, { running }).rows[0]?.cells.map(({ state }) => state);
    expect(states(undefined)).toEqual(["running", "empty"]);
    expect(states({ block: 65536, threads: 2 })).toEqual(["partial", "running"]);
    expect(states(null)).toEqual(["partial", "empty"]);
  });

  it("says how far an unfinished cell is, and that one runs now", () => {
    expect(first({ state: "partial", repeats_done: 2 })).toMatchObject({
      state: "partial",
      note: "2/3",
    });
    const running = matrixGrid(
      matrixOf([cell(4096, 1, { state: "partial", repeats_done: 1 })]),
      reading,
      {
        running: { block: 4096, threads: 1 },
      },
    ).rows[0]?.cells[0];
    expect(running).toMatchObject({ state: "running", note: "1/3" });
    expect(running?.sentence).toContain("running");
  });

  it("says why a cell failed", () => {
    const failed = first({
      state: "failed",
      durable: null,
      trials: [{ ...trial, status: "failed", reason: "no_space" }],
    });
    expect(failed).toMatchObject({ state: "failed", text: "–", note: "failed" });
    expect(failed?.sentence).toContain("failed (no_space)");
  });

  it("does not call a difference noise with two repeats", () => {
    const few = first({ durable: stat(39.7e6, { n: 2, too_few_repeats: true }) });
    expect(few?.withinNoise).toBe(false);
    expect(few?.sentence).toContain("too few repeats to tell it from the best");
  });

  it("shows the most severe flag in the cell, and all of them with evidence in its description", () => {
    const flags = [
      flag("too_short"),
      flag("timed_out", { evidence: ["The time limit ended it."] }),
    ];
    const flagged = first({ flags });
    expect(flagged?.note).toBe("too short");
    expect(flagged?.sentence).toContain(
      "3 repeats. Too short: The writes took 54.0 ms, and 55.0 ms with the sync",
    );
    expect(flagged?.sentence).toContain("second. Timed out: The time limit ended it.");
  });

  it("leaves out a flag of the other rate", () => {
    const flags = [flag("too_short", { rates: ["application"] })];
    expect(first({ flags })?.note).toBeNull();
    expect(first({ flags }, { ...reading, rate: "application" })?.note).toBe("too short");
  });

  it("marks a sync that timed out", () => {
    expect(first({ trials: [{ ...trial, bounded: true }] })?.sentence).toContain("upper bound");
  });
});
