import { expect, it } from "vitest";
import type { Path } from "@/features/kinds/path/path";
import { path } from "@/features/kinds/path/testPath";
import { settingKey, shownIn } from "./shown";

const named = (result: Path, search: object) => {
  const { setting, leg, trial } = shownIn(result, search);
  return [setting && settingKey(setting), leg?.leg, trial?.id];
};

it("opens with the transfer of the best setting, and its trial nearest to the mean", () => {
  expect(named(path, {})).toEqual(["1048576x4", "disk", 5]);
});

it("shows the leg and the repeat of an address, and the trial of a verdict's evidence", () => {
  expect(named(path, { leg: "write" })).toEqual(["1048576x4", "write", 3]);
  expect(named(path, { leg: "disk", repeat: "1" })).toEqual(["1048576x4", "disk", 4]);
  expect(named(path, { leg: "write", trial: "2" })).toEqual(["1048576x4", "memory", 2]);
});

it("takes the defaults for what the result does not have", () => {
  expect(named(path, { setting: "5x5", leg: "tape", repeat: "9", trial: "99" })).toEqual([
    "1048576x4",
    "disk",
    5,
  ]);
});

it("shows a leg that has begun while the transfer waits, and nothing before", () => {
  const waiting = (names: readonly string[]): Path => ({
    ...path,
    legs: path.legs.map((leg) =>
      names.includes(leg.leg)
        ? { ...leg, trials: leg.trials.map((trial) => ({ ...trial, status: "waiting" })) }
        : leg,
    ),
  });
  expect(named(waiting(["disk", "read"]), {})).toEqual(["1048576x4", "memory", 2]);
  expect(named(waiting(["read", "memory", "write", "disk"]), {})).toEqual([
    "1048576x4",
    undefined,
    undefined,
  ]);
});
