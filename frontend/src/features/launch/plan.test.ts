import { describe, expect, it } from "vitest";
import type { Estimate, Host, Target, Test } from "@/api/shapes";
import { groupsOf, KINDS } from "@/features/kinds/registry";
import { parametersIn } from "@/features/parameters/parameters";
import {
  type Answer,
  chosenTests,
  type Draft,
  driveWrites,
  endsOf,
  missing,
  type Needs,
  needsOf,
  obstacle,
  onlyTarget,
  planOf,
  readsElsewhere,
  tightest,
} from "./plan";
import { estimate } from "./testEstimate";

const PARAMETERS = parametersIn(groupsOf(KINDS));
const TARGETS: Needs = { targets: true, ends: null };
const PAIRS: Needs = {
  targets: false,
  ends: {
    severalSources: true,
    severalSinks: true,
    arrangements: ["together", "scale_out", "mesh"],
  },
};
const ONE_PAIR: Needs = {
  targets: false,
  ends: { severalSources: false, severalSinks: false, arrangements: ["together"] },
};
const obstacleOf = (draft: Draft, answer: Answer) =>
  obstacle(draft, TARGETS, planOf(draft, PARAMETERS, TARGETS), answer);

const draft: Draft = {
  name: " ",
  question: null,
  profileId: 3,
  purpose: null,
  tests: [],
  targetIds: [7],
  execution: "each",
  readBackTargetId: null,
  sources: [],
  sinks: [],
  arrangement: "together",
  texts: { repeats: "2" },
  labels: "",
  reference: "",
  criteria: [{ criterion: " ", stop: false }],
};

const [run] = estimate.runs as [Estimate["runs"][number]];

describe("the tests that run", () => {
  it("are all of the profile unless some are selected", () => {
    expect(chosenTests({ tests: [] }, ["a", "b"])).toEqual(["a", "b"]);
    expect(chosenTests({ tests: [2] }, ["a", "b"])).toEqual(["b"]);
    expect(chosenTests({ tests: [2, 7] }, ["a", "b"])).toEqual(["b"]);
    expect(chosenTests({ tests: [7] }, ["a", "b"])).toEqual(["a", "b"]);
  });
  it("replace those of the profile where they are not all", () => {
    const tests = [{ kind: "matrix", title: "Write" }] as Test[];
    expect(planOf(draft, PARAMETERS, TARGETS, tests)?.tests).toBe(tests);
    expect(planOf(draft, PARAMETERS, TARGETS)).not.toHaveProperty("tests");
  });
});

describe("reading back by another host", () => {
  const test = { kind: "sustained", read_back: "other_host" };

  it("is what the form says, else what a test of the profile says", () => {
    expect(readsElsewhere({}, [{ kind: "matrix" }])).toBe(false);
    expect(readsElsewhere({}, [{ kind: "matrix" }, test])).toBe(true);
    expect(readsElsewhere({ read_back: "same_host" }, [test])).toBe(false);
    expect(readsElsewhere({ read_back: "other_host" }, [{ kind: "matrix" }])).toBe(true);
  });

  it("names the target at which it reads", () => {
    expect(planOf(draft, PARAMETERS, TARGETS)).not.toHaveProperty("read_back_target_id");
    const chosen = planOf({ ...draft, readBackTargetId: 8 }, PARAMETERS, TARGETS);
    expect(chosen?.read_back_target_id).toBe(8);
  });
});

describe("what the tests of a profile need", () => {
  const of = (...kinds: string[]) => needsOf(kinds.map((kind) => ({ kind })) as Test[]);

  it("is targets before a profile is selected", () => {
    expect(needsOf(undefined)).toEqual({ targets: true, ends: null });
  });

  it("is ends for transfers, and both for a mixture", () => {
    expect(of("path")).toMatchObject({ targets: false, ends: { severalSources: true } });
    expect(of("matrix", "path")).toMatchObject({ targets: true, ends: { severalSinks: true } });
  });
});

describe("a launch", () => {
  it("contains only the fields with input", () => {
    expect(planOf(draft, PARAMETERS, TARGETS)).toEqual({
      profile_id: 3,
      target_ids: [7],
      arrangement: "together",
      together: false,
      scale_out: false,
      overrides: { repeats: 2 },
    });
    expect(planOf({ ...draft, texts: {} }, PARAMETERS, TARGETS)).toMatchObject({ overrides: {} });
  });
  it("adds criteria to those of the profile", () => {
    const criterion = { criterion: "app.mean > 1 GB/s", stop: true };
    const plan = planOf(
      { ...draft, criteria: [...draft.criteria, criterion] },
      PARAMETERS,
      TARGETS,
    );
    expect(plan?.criteria).toEqual([criterion]);
  });
  it("runs targets together only if there are several", () => {
    expect(planOf({ ...draft, execution: "together" }, PARAMETERS, TARGETS)?.together).toBe(false);
    const several: Draft = { ...draft, execution: "together", targetIds: [7, 8] };
    expect(planOf(several, PARAMETERS, TARGETS)).toMatchObject({
      together: true,
      scale_out: false,
    });
  });
  it("scales out only if there are several targets", () => {
    const alone: Draft = { ...draft, execution: "scale_out" };
    expect(planOf(alone, PARAMETERS, TARGETS)).toMatchObject({ together: false, scale_out: false });
    const several = { ...alone, targetIds: [7, 8] };
    expect(planOf(several, PARAMETERS, TARGETS)).toMatchObject({
      together: false,
      scale_out: true,
    });
  });
  it("of a transfer has a source and a sink, and no targets", () => {
    const half: Draft = { ...draft, sources: [{ target_id: 7 }] };
    expect(planOf(half, PARAMETERS, PAIRS)).toBeNull();
    expect(missing(half, PAIRS)).toBe("Select a sink.");
    const whole: Draft = { ...half, sinks: [{ host_id: 2 }] };
    const plan = planOf(whole, PARAMETERS, PAIRS);
    expect(plan).toMatchObject({
      target_ids: [],
      sources: [{ target_id: 7 }],
      sinks: [{ host_id: 2 }],
      arrangement: "together",
      scale_out: false,
    });
    expect(missing({ ...whole, targetIds: [] }, { ...PAIRS, targets: true })).toBe(
      "Select at least one target.",
    );
  });
  it("of several pairs runs them together, or in growing numbers", () => {
    const sources = [{ host_id: 1 }, { host_id: 2 }];
    const several: Draft = { ...draft, sources, sinks: [{ host_id: 3 }] };
    expect(planOf(several, PARAMETERS, PAIRS)).toMatchObject({ sources, scale_out: false });
    const scaled: Draft = { ...several, arrangement: "scale_out" };
    expect(planOf(scaled, PARAMETERS, PAIRS)).toMatchObject({ sources, scale_out: true });
    expect(planOf({ ...scaled, sources: sources.slice(0, 1) }, PARAMETERS, PAIRS)?.scale_out).toBe(
      false,
    );
    const odd: Draft = { ...several, sources: [...sources, { host_id: 3 }], sinks: sources };
    expect(missing(odd, PAIRS)).toMatch(/as many sinks as sources/);
    expect(planOf(odd, PARAMETERS, PAIRS)).toBeNull();
  });
  it("of a mesh has each end at both sides", () => {
    const ends = [{ host_id: 1 }, { target_id: 7 }];
    const mesh: Draft = { ...draft, sources: ends, sinks: ends, arrangement: "mesh" };
    expect(planOf(mesh, PARAMETERS, PAIRS)).toMatchObject({
      sources: ends,
      sinks: ends,
      arrangement: "mesh",
      scale_out: false,
    });
    const alone = ends.slice(0, 1);
    expect(missing({ ...mesh, sources: alone, sinks: alone }, PAIRS)).toMatch(/at least two ends/);
  });
  it("keeps one end a side where the profile's tests allow no more", () => {
    const sources = [{ host_id: 1 }, { host_id: 2 }];
    const several: Draft = { ...draft, sources, sinks: [{ host_id: 3 }] };
    expect(planOf(several, PARAMETERS, ONE_PAIR)?.sources).toEqual([{ host_id: 1 }]);
    // a mesh has no sinks of its own
    const mesh: Draft = { ...draft, sources, sinks: sources, arrangement: "mesh" };
    expect(endsOf(mesh, ONE_PAIR)).toEqual({
      sources: [{ host_id: 1 }],
      sinks: [],
      arrangement: "together",
    });
  });
  it("is not requested while a field is invalid", () => {
    expect(planOf({ ...draft, texts: { threads: "many" } }, PARAMETERS, TARGETS)).toBeNull();
  });
  it("names the next obstacle", () => {
    const answer = { estimate, refusal: null, current: true };
    expect(obstacleOf({ ...draft, profileId: null }, answer)).toBe("Select a profile.");
    expect(obstacleOf({ ...draft, targetIds: [] }, answer)).toBe("Select at least one target.");
    expect(obstacleOf({ ...draft, texts: { block: "x" } }, answer)).toMatch(/marked/);
    expect(obstacleOf(draft, { ...answer, estimate: { ...estimate, fits: false } })).toBe(
      "Not enough free space.",
    );
    expect(obstacleOf(draft, answer)).toBeNull();
  });
  it("waits for the estimate of the current input", () => {
    expect(obstacleOf(draft, { estimate, refusal: null, current: false })).toMatch(/Waiting/);
  });
  it("shows a rejection instead of a pending estimate", () => {
    const refusal = new Error("no");
    expect(obstacleOf(draft, { estimate: undefined, refusal, current: true })).toBe(
      "Fix the errors shown.",
    );
    expect(obstacleOf(draft, { estimate: undefined, refusal, current: false })).toMatch(/Waiting/);
  });
});

describe("the only target", () => {
  const target = { id: 7, host_id: 1 } as Target;
  const host = (state: string) => ({ id: 1, state }) as Host;
  it("is selected if its host is ready", () => {
    expect(onlyTarget([target], [host("ready")])).toBe(7);
    expect(onlyTarget([target], [host("unreachable")])).toBeNull();
  });
  it("does not exist while loading or among several", () => {
    expect(onlyTarget(undefined, [host("ready")])).toBeNull();
    expect(onlyTarget([target, { ...target, id: 8 }], [host("ready")])).toBeNull();
  });
});

describe("the estimate", () => {
  const flash = {
    id: 7,
    host_id: 1,
    device: "nvme0n1",
    device_info: { rotational: false, size_bytes: 32e9 },
    size_bytes: 4e9,
  } as Target;
  it("counts wear in full drive writes, only on flash", () => {
    expect(driveWrites(estimate, [flash])).toBe(0.5);
    const disk = { ...flash, device_info: { ...flash.device_info, rotational: true } };
    expect(driveWrites(estimate, [disk])).toBeNull();
  });
  it("adds up the bytes of a drive's targets, per host", () => {
    const both = { ...estimate, runs: [run, { ...run, target_id: 8 }] };
    expect(driveWrites(both, [flash, { ...flash, id: 8 }])).toBe(0.5);
    expect(driveWrites(both, [flash, { ...flash, id: 8, host_id: 2 }])).toBe(0.25);
  });
  it("adds up the bytes of a drive's partitions", () => {
    const partition = (id: number) => ({ ...flash, id, device: `nvme0n1p${id}` });
    const runs = [7, 8].map((id) => ({ ...run, target_id: id, devices: ["nvme0n1"] }));
    expect(driveWrites({ ...estimate, runs }, [partition(7), partition(8)])).toBe(0.5);
  });
  it("does not guess the wear of a drive of unknown size", () => {
    const unknown = { ...flash, device_info: { ...flash.device_info, size_bytes: null } };
    expect(driveWrites(estimate, [unknown])).toBeNull();
  });
  it("shows the minimum free space of a target", () => {
    expect(tightest(estimate, 7)?.free_after_bytes).toBe(4e9);
    expect(tightest(estimate, 8)).toBeUndefined();
  });
});
