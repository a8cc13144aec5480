import { expect, test } from "vitest";
import { address, selection } from "./exportOf";

const NOW = new Date("2026-11-27T12:00:00Z");

test("the filters of a list select what is exported, its order does not", () => {
  const search = { array_id: "2", label: "rack=b7", within: "7d", sort: "-id", q: undefined };
  expect(selection({ search }, NOW)).toEqual({
    array_id: "2",
    label: ["rack=b7"],
    from: "2026-11-20T12:00:00.000Z",
  });
});

test("the address has filters, rows and format, escaped", () => {
  expect(address({ search: { label: "rack=b7" } }, "trials", "csv", NOW)).toBe(
    "/api/v1/runs/export?label=rack%3Db7&rows=trials&format=csv",
  );
  expect(address({ search: { state: "done,failed" } }, "trials", "csv", NOW)).toBe(
    "/api/v1/runs/export?state=done&state=failed&rows=trials&format=csv",
  );
  expect(address({ compared: [3, 1] }, "figures", "parquet", NOW)).toBe(
    "/api/v1/compare/export?runs=3%2C1&rows=figures&format=parquet",
  );
});
