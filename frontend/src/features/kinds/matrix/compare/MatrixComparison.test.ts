import { describe, expect, it } from "vitest";
import type { ComparedMatrices } from "@/features/kinds/matrix/matrix";
import { cell, matrixOf, stat } from "@/features/kinds/matrix/testMatrix";
import { comparedCells } from "./MatrixComparison";
import { typicalTrial } from "./OverlayChart";
import { shownRatio, whyNothingCompares } from "./RatioPanel";

const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;
const run = (id: number, cells: Parameters<typeof matrixOf>[0]) =>
  ({ id, result: matrixOf(cells) }) as ComparedMatrices["runs"][number];

function pairOf({ outcome }: ComparedMatrices) {
  if (!outcome) throw new Error("the runs are not compared");
  return outcome;
}

describe("a comparison’s table", () => {
  it("has a line for each cell of any run, a column a run, and the ratio", () => {
    const comparison = {
      runs: [
        run(4, [cell(4096, 1, { durable: stat(200e6) })]),
        run(9, [cell(4096, 1), cell(65536, 1)]),
      ],
      outcome: {
        ratio: {
          a: 4,
          b: 9,
          rate: "durable",
          cells: [
            {
              block: 4096,
              threads: 1,
              durable: 2,
              application: 1,
              significant: true,
              durable_p: 0,
              application_p: 1,
            },
          ],
        },
      },
      others: [],
    } as unknown as ComparedMatrices;
    expect(comparedCells(comparison, reading)).toEqual({
      columns: [
        "Block size",
        "Threads",
        "A, mean durable (MB/s)",
        "B, mean durable (MB/s)",
        "A ÷ B",
      ],
      rows: [
        ["4 KiB", 1, 200, 100, 2],
        ["64 KiB", 1, null, 100, null],
      ],
    });
    const [, , a] = comparedCells(comparison, { ...reading, stat: "worst" }).columns;
    expect(a).toBe("A, worst durable (MB/s)");
  });
});

describe("the ratio", () => {
  it("is of the statistic that is shown, and keeps the test of the means", () => {
    const place = { block: 4096, threads: 1 };
    const measured = { application: 9, significant: true, durable_p: 0.2, application_p: 1 };
    const comparison = {
      runs: [
        run(4, [cell(4096, 1, { durable: stat(200, { median: 150, worst: 30 }) })]),
        run(9, [cell(4096, 1, { durable: stat(100, { median: 100, worst: 60 }) })]),
      ],
      outcome: {
        ratio: { a: 4, b: 9, rate: "durable", cells: [{ ...place, durable: 2, ...measured }] },
      },
    } as unknown as ComparedMatrices;
    const shown = (each: "mean" | "median" | "worst") =>
      shownRatio(comparison, pairOf(comparison), { ...reading, stat: each }).cells[0];
    expect([shown("mean"), shown("median"), shown("worst")].map((one) => one?.durable)).toEqual([
      2, 1.5, 0.5,
    ]);
    expect(shown("worst")).toMatchObject({ durable_p: 0.2, application: 9 });
  });
});

describe("a comparison without a ratio", () => {
  const nothing = (...cells: Parameters<typeof matrixOf>[0][]) => {
    const runs = cells.map((each, index) => run(index + 1, each));
    const ratio = { a: 1, b: 2, rate: "durable", cells: [] } as never;
    return whyNothingCompares({ runs, ratio } as unknown as ComparedMatrices, ratio, reading);
  };
  it("says that the runs have no cell in common", () => {
    expect(nothing([cell(4096, 1)], [cell(65536, 1)])).toContain("no cell with a durable rate");
    expect(nothing([cell(4096, 1)], [cell(4096, 1, { durable: null })])).toContain("in common");
  });
  it("says that the common cells have caveats", () => {
    expect(nothing([cell(4096, 1)], [cell(4096, 1)])).toContain("has caveats");
  });
});

describe("the trial that stands for a cell", () => {
  it("is the one nearest to the median, and none where nothing was measured", () => {
    const trial = (id: number, durable_bytes_per_s: number | null) => ({
      id,
      repeat: id,
      status: "complete",
      application_bytes_per_s: null,
      durable_bytes_per_s,
      lat_max_ns: null,
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
    });
    const measured = cell(4096, 1, {
      durable: stat(100),
      trials: [trial(1, 50), trial(2, null), trial(3, 98)],
    });
    expect(typicalTrial(measured, reading)?.id).toBe(3);
    expect(typicalTrial(cell(4096, 1, { durable: null }), reading)).toBeNull();
  });
});
