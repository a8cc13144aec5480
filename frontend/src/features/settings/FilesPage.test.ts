import { expect, test } from "vitest";
import type { FilePlan, PlannedChange } from "@/api/shapes";
import { countsText, valueText } from "./FilesPage";

const change = (action: PlannedChange["action"], name: string): PlannedChange => ({
  action,
  kind: "array",
  name,
  fields: [],
});

const plan = (dry_run: boolean): FilePlan => ({
  name: "lab",
  dry_run,
  complete: true,
  changes: [change("create", "a"), change("create", "b"), change("unchanged", "c")],
});

test("a plan counts what will happen, and an application what happened", () => {
  expect(countsText(plan(true))).toBe("2 to create, 1 unchanged");
  expect(countsText(plan(false))).toBe("2 created, 1 unchanged");
  expect(countsText({ ...plan(true), changes: [] })).toBe("");
});

test("a value is shown on one line, shortened", () => {
  expect(valueText(null)).toBe("none");
  expect(valueText("b7")).toBe("b7");
  expect(valueText({ a: [1] })).toBe('{"a":[1]}');
  expect(valueText("x".repeat(100))).toHaveLength(81);
});
