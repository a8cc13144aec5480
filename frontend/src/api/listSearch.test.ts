import { expect, it } from "vitest";
import { isFiltered, listParameters, listSearch, valuesOf, valuesText } from "./listSearch";

const NOW = new Date("2026-11-26T12:00:00Z");

it("reads only known filters from a URL", () => {
  const raw = { state: "failed", q: "vault", sort: "-name", odd: "1", host_id: undefined };
  expect(listSearch("state", "host_id")(raw)).toEqual({
    state: "failed",
    q: "vault",
    sort: "-name",
  });
});

it("counts back a span from now", () => {
  expect(listParameters({ within: "7d", state: "failed" }, NOW)).toMatchObject({
    state: ["failed"],
    from: "2026-11-19T12:00:00.000Z",
    to: undefined,
  });
});

it("includes the last day, in the browser's time zone", () => {
  const { from, to } = listParameters({ from: "2026-11-01", to: "2026-11-30" }, NOW);
  expect(from).toBe(new Date(2026, 10, 1).toISOString());
  expect(to).toBe(new Date(2026, 11, 1).toISOString());
});

it("ignores what is no date and no span", () => {
  const { from, to } = listParameters({ within: "soon", from: "yesterday", to: "2026" }, NOW);
  expect([from, to]).toEqual([undefined, undefined]);
});

it("takes an order alone for no filter", () => {
  expect(isFiltered({ sort: "name" })).toBe(false);
  expect(isFiltered({ sort: "name", q: "vault" })).toBe(true);
});

it("has several values of a filter between commas", () => {
  expect(
    listParameters({ state: "done,failed", label: "rack=b7, site=fra", q: "a,b" }, NOW),
  ).toEqual({ state: ["done", "failed"], label: ["rack=b7", "site=fra"], q: "a,b" });
  expect(valuesOf(",done,,")).toEqual(["done"]);
  expect(valuesText([])).toBeUndefined();
});

it("keeps a comma and a backslash in the value of a label", () => {
  const labels = ["owner=Doe, J", "path=C:\\vault", "rack=b7"];
  expect(valuesOf(valuesText(labels))).toEqual(labels);
  expect(valuesText(["owner=Doe, J"])).toBe("owner=Doe\\, J");
});
