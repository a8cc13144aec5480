import { expect, it } from "vitest";
import { placeOf } from "./places";

it("counts runs and schedules to the campaigns, and nothing else", () => {
  expect(placeOf("/runs")).toBe("/campaigns");
  expect(placeOf("/schedules/4")).toBe("/campaigns");
  expect(placeOf("/runsomething")).toBeUndefined();
  expect(placeOf("/hosts")).toBeUndefined();
});
