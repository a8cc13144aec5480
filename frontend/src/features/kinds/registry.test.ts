import { describe, expect, it } from "vitest";
import type { Test } from "@/api/shapes";
import { parametersIn, readTexts, shownFirst, type Texts } from "@/features/parameters/parameters";
import { changedTests, groupsInUse, groupsOf, KINDS, kindsOf } from "./registry";

const initialOf = (name: string): Test => {
  const kind = KINDS.find((one) => one.name === name);
  if (!kind) throw new Error(`no kind ${name}`);
  return kind.initial;
};

/** The names of the fields of a launch of these tests with these texts. */
function shown(tests: Test[], texts: Texts = {}): string[] {
  const groups = groupsOf(kindsOf(tests));
  const { values } = readTexts(parametersIn(groups), texts);
  const typed = new Set(Object.keys(texts));
  return parametersIn(groupsInUse(groups, changedTests(tests, values), typed)).map(
    ({ name }) => name,
  );
}

describe("the parameters of a launch", () => {
  const sustained = initialOf("sustained");

  it("are those that the tests use, as the launch changes them", () => {
    const PACING = ["rate_bytes_per_s", "burst_blocks", "gap_ns", "quantum_ns", "seed"];
    const pacing = (texts: Texts) =>
      shown([sustained], texts).filter((name) => PACING.includes(name));
    expect(pacing({})).toEqual([]);
    expect(pacing({ pace: "rate" })).toEqual(["rate_bytes_per_s"]);
    expect(pacing({ pace: "burst" })).toEqual(["burst_blocks", "gap_ns", "quantum_ns"]);
    expect(pacing({ access: "random" })).toEqual(["seed"]);
  });

  it("have one that is not used as long as it has a text, so that it can be removed", () => {
    expect(shown([sustained], { gap_ns: "40 ms" })).toContain("gap_ns");
  });

  it("are used if any of the tests uses them", () => {
    const paced = { ...sustained, pace: "rate" } as Test;
    expect(shown([sustained, paced])).toContain("rate_bytes_per_s");
    expect(shown([initialOf("matrix"), sustained])).toContain("threads");
  });

  it("change no test that does not have them", () => {
    const [matrix, other] = changedTests([initialOf("matrix"), sustained], { threads: [9] });
    expect(matrix).toMatchObject({ threads: [9] });
    expect(other).toEqual(sustained);
  });

  it.each(KINDS.map((kind) => [kind.name, kind] as const))(
    "of a test of %s: all common ones come first, in any pacing",
    (_, kind) => {
      for (const pace of ["none", "rate", "burst"]) {
        const groups = groupsOf([kind]);
        const used = groupsInUse(groups, [{ ...kind.initial, pace } as Test], new Set());
        const common = parametersIn(used).filter((one) => one.common);
        expect(common.length).toBeGreaterThan(3);
        expect([...shownFirst(used, {})]).toEqual(common.map(({ name }) => name));
      }
    },
  );
});
