import { expect, it } from "vitest";
import { begunOf, nearestToMean, repeatsWords } from "./trials";

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

it("counts repeats until all are done, then says how much they vary", () => {
  const words = (done: number, rate: { cv: number | null } | null) =>
    repeatsWords({ repeats_done: done, repeats_total: 3 }, rate).replaceAll("\u00a0", " ");
  expect(words(1, { cv: 0.2 })).toBe("1 of 3");
  expect(words(3, { cv: 0.012 })).toBe("3, CV 1.20 %");
  expect(words(3, { cv: null })).toBe("3");
  expect(words(3, null)).toBe("3");
});
