import { expect, it } from "vitest";
import { begunOf, nearestToMean, statusWords } from "./results";

const rateOf = ({ rate }: { rate: number | null }) => rate;

it("leaves out the trials that have not begun", () => {
  const trials = [{ status: "complete" }, { status: "waiting" }, { status: "running" }];
  expect(begunOf({ trials }).map(({ status }) => status)).toEqual(["complete", "running"]);
});

it("finds the trial nearest to the mean, and one without a rate only if there is no other", () => {
  const trials = [{ rate: null }, { rate: 90 }, { rate: 104 }];
  expect(nearestToMean(trials, 100, rateOf)).toBe(trials[2]);
  expect(nearestToMean(trials.slice(0, 1), 100, rateOf)).toBe(trials[0]);
  expect(nearestToMean([], 100, rateOf)).toBeUndefined();
});

it("says of a trial's status which rate a flag affects, and that it does not count", () => {
  const flag = (code: string, ...rates: string[]) => ({ code, rates });
  const short = { status: "complete", flags: [flag("too_short", "application")] };
  expect(statusWords(short)).toBe("complete; too short (application rate)");
  const contended = { status: "complete", flags: [flag("contended", "durable", "application")] };
  expect(statusWords({ ...contended, left_out: { durable: "contended" } })).toBe(
    "complete; contended; not counted",
  );
  expect(
    statusWords({ status: "complete", flags: [], left_out: { application: "wrong_data" } }),
  ).toBe("complete; not counted: wrong data");
});
