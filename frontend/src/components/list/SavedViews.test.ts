import { expect, it } from "vitest";
import { isSameView, viewSearch } from "./SavedViews";

it("keeps the parameters that are set", () => {
  expect(viewSearch({ q: "vault", state: undefined, sort: "-id" })).toEqual({
    q: "vault",
    sort: "-id",
  });
});

it("compares views by their parameters, not by their order", () => {
  expect(isSameView({ q: "a", sort: "id" }, { sort: "id", q: "a" })).toBe(true);
  expect(isSameView({ q: "a" }, { q: "a", sort: "id" })).toBe(false);
  expect(isSameView({ q: "a", sort: "id" }, { q: "a" })).toBe(false);
  expect(isSameView({ q: "a" }, { q: "b" })).toBe(false);
});
