import { expect, it } from "vitest";
import type { SustainedTrial } from "@/features/kinds/sustained/shapes";
import { steadyText } from "./Figures";

const TRIAL = {
  status: "complete",
  duration_ns: 200e9,
  ramp_ns: 0,
  steady: null,
  participants: [],
} as unknown as SustainedTrial;

it("says that a trial was too short for a steady state only if it was", () => {
  expect(steadyText(TRIAL)).toBe("needs five rounds of 60 s");
  expect(steadyText({ ...TRIAL, status: "failed" })).toBeNull();
  expect(steadyText({ ...TRIAL, duration_ns: 400e9 })).toBeNull();
  expect(steadyText({ ...TRIAL, duration_ns: 400e9, ramp_ns: 150e9 })).toBe(
    "needs five rounds of 60 s",
  );
});

it("gives the reason for targets that run together", () => {
  const participants = [{}, {}] as SustainedTrial["participants"];
  expect(steadyText({ ...TRIAL, participants })).toBe("not judged for targets that run together");
});

it("names the rounds of the steady window", () => {
  const window = { mean: 1e9, spread_share: 0.1, slope_share: 0.01 };
  const steady = { reached: true, first_round: 3, rounds: 7, window };
  expect(steadyText({ ...TRIAL, steady } as SustainedTrial)).toBe("reached in rounds 3–7");
  expect(
    steadyText({ ...TRIAL, steady: { ...steady, reached: false, rounds: 25 } } as SustainedTrial),
  ).toBe("not reached after 25 rounds");
});
