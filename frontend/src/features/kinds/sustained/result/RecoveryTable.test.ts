import { expect, test } from "vitest";
import { recoveryWords, restoredText } from "./RecoveryTable";

const recovery = {
  fast_bytes_per_s: 104e6,
  slow_bytes_per_s: 31e6,
  fast_bytes: 1_070_000_000,
  rests: [],
  within_ns: 10e9,
  beyond_ns: 5e9,
};

const words = (changed: object) =>
  recoveryWords({ ...recovery, ...changed }, "MB/s").replaceAll("\u00a0", " ");

test("the recovery lies between a rest that was enough and one that was not", () => {
  expect(words({})).toBe(
    "After 10 s of rest the storage again takes at least nine tenths of the first 1.07 GB at 104 MB/s; 5.00 s were not enough.",
  );
  expect(words({ beyond_ns: null })).not.toContain("not enough");
});

test("a storage that did not recover, or was never exhausted, is not called recovered", () => {
  expect(words({ within_ns: null })).toContain("had not recovered");
  expect(words({ within_ns: null, beyond_ns: null })).toContain("not known");
});

test("what a rest restored is a bound, or unknown with its reason", () => {
  const rest = { trial_id: 1, rest_ns: 1, restored: "known" as const, bytes: 1e9, share: 1 };
  expect(restoredText(rest)).toBe("1.00\u00a0GB");
  expect(restoredText({ ...rest, restored: "at_least" })).toBe("≥\u00a01.00\u00a0GB");
  expect(restoredText({ ...rest, bytes: null, share: null })).toContain("not full");
});
