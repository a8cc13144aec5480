import { expect, it } from "vitest";
import { kindOf } from "@/features/kinds/registry";
import type { Sustained } from "@/features/kinds/sustained/sustained";
import { shownIn, unsaid } from "./shown";

const trial = (id: number, repeat: number, status = "complete") => ({ id, repeat, status });

const RESULT = {
  leading_cell: "b",
  participants: [
    { id: 7, host: "alpha", path: "/mnt/a" },
    { id: 8, host: "beta", path: "/mnt/b" },
  ],
  cells: [
    { key: "a", shown_trial_id: 12, trials: [trial(11, 1), trial(12, 2), trial(13, 3, "waiting")] },
    { key: "b", shown_trial_id: null, trials: [trial(21, 1)] },
  ],
} as unknown as Sustained;

const shown = (search: object) => {
  const { cell, trial, participant, over } = shownIn(RESULT, search);
  return [cell?.key, trial?.id, participant, over];
};

it("opens with the leading cell, its typical trial and the first participant", () => {
  expect(shown({})).toEqual(["b", 21, 7, "time"]);
  expect(shown({ cell: "a" })).toEqual(["a", 12, 7, "time"]);
});

it("follows the address, and ignores what it cannot mean", () => {
  expect(shown({ cell: "a", repeat: "1", participant: "8", over: "data" })).toEqual([
    "a",
    11,
    8,
    "data",
  ]);
  expect(shown({ cell: "c", repeat: "9", participant: "1", over: "x" })).toEqual([
    "b",
    21,
    7,
    "time",
  ]);
  expect(shown({ cell: "a", repeat: "3" })).toEqual(["a", 12, 7, "time"]);
});

it("shows the trial that a verdict names as its evidence, whatever its cell", () => {
  const search = kindOf({ kind: "sustained" }).evidence({ trial_id: 11, parameters: { block: 1 } });
  expect(shown({ cell: "b", ...search })).toEqual(["a", 11, 7, "time"]);
  expect(kindOf({ kind: "sustained" }).evidence({ trial_id: null })).toEqual({});
});

it("does not repeat the cliff that the headline names, unless others are in several cells", () => {
  const warnings = [{ code: "cliff" }, { code: "pessimistic" }];
  const headline = { figure: { levels: {} } };
  const codes = (cells: number, levels: object | null = {}) =>
    unsaid({
      ...RESULT,
      cells: RESULT.cells.slice(0, cells),
      headline: { ...headline, figure: { levels } },
      warnings,
    } as unknown as Sustained).map(({ code }) => code);
  expect(codes(1)).toEqual(["pessimistic"]);
  expect(codes(2)).toEqual(["cliff", "pessimistic"]);
  expect(codes(1, null)).toEqual(["cliff", "pessimistic"]);
});
