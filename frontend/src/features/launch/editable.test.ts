import { describe, expect, it } from "vitest";
import type { Plan, Profile, Test } from "@/api/shapes";
import { kindOf } from "@/features/kinds/registry";
import { editable } from "./link";

const write = { ...kindOf({ kind: "matrix" }).initial, title: "Write" } as Test;
const long = { ...kindOf({ kind: "sustained" }).initial, title: "Long" } as Test;
const profile = { body: { tests: [write, long] } } as Profile;
const plan: Plan = {
  profile_id: 2,
  target_ids: [3],
  arrangement: "together",
  together: false,
  scale_out: false,
  overrides: {},
};

describe("a campaign in the launch form", () => {
  it("has what its launch changed", () => {
    const parameters = { overrides: { threads: [1, 2], streams: 4 } };
    expect(editable(plan, { parameters }, profile)).toMatchObject({
      tests: [],
      texts: { threads: "1, 2", streams: "4" },
    });
  });
  it("is restricted to the test of a run, and to the changes that it has", () => {
    const parameters = { overrides: { threads: [1, 2], streams: 4 } };
    // the request for a run has a test with all values
    const ofRun: Plan = { ...plan, tests: [{ ...write, threads: [1, 2] } as Test] };
    expect(editable(ofRun, { parameters }, profile)).toMatchObject({
      tests: [1],
      texts: { threads: "1, 2" },
    });
    expect(editable(ofRun, { parameters }, profile)?.texts).not.toHaveProperty("streams");
  });
  it("cannot show tests that are not the profile's", () => {
    const other = { ...write, threads: [64] } as Test;
    const parameters = { tests: [other], overrides: {} };
    expect(editable({ ...plan, tests: [other] }, { parameters }, profile)).toBeNull();
  });
  it("selects the tests of the profile with which it was launched", () => {
    const parameters = { tests: [{ ...long, verify: null }], overrides: {} };
    expect(editable({ ...plan, tests: [long] }, { parameters }, profile)?.tests).toEqual([2]);
  });
});
