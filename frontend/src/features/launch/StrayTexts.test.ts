import { expect, it } from "vitest";
import { EMPTY } from "./link";
import type { Needs } from "./plan";
import { hiddenFields, remarksOn, unknownTests, unusedWords } from "./StrayTexts";

const TARGETS: Needs = { targets: true, ends: null };
const ONE_PAIR: Needs = {
  targets: false,
  ends: { severalSources: false, severalSinks: false, arrangements: ["together"] },
};

it("says which selections of a link the tests do not use", () => {
  const linked = { ...EMPTY, targetIds: [3, 7], sources: [{ host_id: 5 }, { host_id: 6 }] };
  expect(unusedWords(linked, TARGETS, linked)).toEqual([
    "2 selected sources or sinks are not used: no test transfers data.",
  ]);
  expect(unusedWords(linked, ONE_PAIR, linked)).toEqual([
    "2 selected targets are not used: no test measures targets.",
    "1 selected source or sink is not used: the tests have fewer ends.",
  ]);
});

it("says nothing about what the user selected since", () => {
  const own = { ...EMPTY, targetIds: [3] };
  expect(unusedWords(own, ONE_PAIR, EMPTY)).toEqual([]);
});

it("names a test that the profile does not have", () => {
  expect(unknownTests({ tests: [1, 3] }, [0, 0])).toEqual({
    tests: "There is no test 3: the profile has 2 tests.",
  });
  expect(unknownTests({ tests: [1, 2] }, [0, 0])).toEqual({});
  expect(unknownTests({ tests: [9] }, undefined)).toEqual({});
});

it("shows the remarks on fields that are not shown", () => {
  const remarks = { sources: "no such end", target_ids: "no such target" };
  expect(remarksOn(remarks, hiddenFields(TARGETS, false))).toEqual(["no such end"]);
  expect(remarksOn(remarks, hiddenFields(ONE_PAIR, false))).toEqual(["no such target"]);
});
