import { expect, test } from "vitest";
import { restoredText } from "./SustainedResult";

test("what a rest restored is a bound, or unknown with its reason", () => {
  const rest = { trial_id: 1, rest_ns: 1, restored: "known" as const, bytes: 1e9, share: 1 };
  expect(restoredText(rest)).toBe("1.00\u00a0GB");
  expect(restoredText({ ...rest, restored: "at_least" })).toBe("≥\u00a01.00\u00a0GB");
  expect(restoredText({ ...rest, bytes: null, share: null })).toContain("not full");
});
