import { expect, it } from "vitest";
import { pairsOf } from "./ComparisonParts";

it("has a pair for each run but the first", () => {
  expect(pairsOf({ outcome: "A, B", others: ["A, C", "A, D"] })).toEqual(["A, B", "A, C", "A, D"]);
  expect(pairsOf({ outcome: null, others: [] })).toEqual([]);
});
