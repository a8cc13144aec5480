import { expect, it } from "vitest";
import { phasesOf } from "./RecordsResult";

it("names the warm-up and the window", () => {
  expect(phasesOf({ warm_up_ns: 2, window_ns: 10 })).toEqual([
    { name: "warm-up", from: 0, to: 2 },
    { name: "window", from: 2, to: 12 },
  ]);
  expect(phasesOf({ warm_up_ns: 0, window_ns: 10 }).map(({ name }) => name)).toEqual(["window"]);
  expect(phasesOf({ warm_up_ns: 2, window_ns: 0 })).toEqual([]);
});
