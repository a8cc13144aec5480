import { describe, expect, it } from "vitest";
import {
  cellName,
  findCell,
  parseCell,
  readingFor,
  readingIn,
  statisticHint,
  valueIn,
} from "./matrix";
import { cell, matrixOf, stat } from "./testMatrix";

describe("a reading", () => {
  it("falls back on the rate that a read run has", () => {
    expect(readingFor({ rate: "durable" }, ["application"], "MB/s").rate).toBe("application");
  });

  it("omits invalid values of an address", () => {
    expect(readingIn({ rate: "loud", stat: "mode", unit: "mph", cell: "big" })).toEqual({});
    const search = { rate: "durable", stat: "worst", unit: "Gb/s", cell: "262144x1" };
    expect(readingIn(search)).toEqual(search);
  });

  it("takes the link's unit before the reader's own", () => {
    expect(readingFor({}, ["durable"], "MiB/s")).toEqual({
      rate: "durable",
      stat: "mean",
      unit: "MiB/s",
    });
    expect(readingFor({ unit: "Gb/s" }, ["durable"], "MiB/s").unit).toBe("Gb/s");
  });

  it("finds the cell that a link names, and none for an invalid name", () => {
    const matrix = matrixOf([cell(262144, 2, { durable: stat(5) })]);
    const found = findCell(matrix, parseCell(cellName({ block: 262144, threads: 2 })));
    expect(found && valueIn(found, { rate: "durable", stat: "median" })).toBe(5);
    expect(findCell(matrix, parseCell("262144 by 2"))).toBeNull();
    expect(findCell(matrix, parseCell("1x1"))).toBeNull();
  });

  it("says that another statistic changes the matrix alone", () => {
    expect(statisticHint({ stat: "mean" })).toBeUndefined();
    expect(statisticHint({ stat: "worst" })).toBe(
      "Worst of each cell's repeats; headline and recommendation stay the same.",
    );
  });
});
