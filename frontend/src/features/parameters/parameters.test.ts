import { expect, it } from "vitest";
import { groupsOf, KINDS } from "@/features/kinds/registry";
import { overrideWords, type Parameter, parametersIn, shownFirst } from "./parameters";

it("names parameters as the launch form does, with their units", () => {
  const overrides = { block: [65536, 1048576], file_size: 4_000_000, repeats: null, unknown: 3 };
  const words = overrideWords(overrides, parametersIn(groupsOf(KINDS))).map((one) =>
    one.replaceAll("\u00a0", " "),
  );
  expect(words).toEqual([
    expect.stringMatching(/^Block sizes? 64 KiB, 1 MiB$/),
    expect.stringMatching(/^File size 4(\.00)? MB$/),
    "unknown 3",
  ]);
});

const numbered = (count: number, common: boolean) =>
  Array.from({ length: count }, (_, index) => ({
    name: `${common ? "common" : "seldom"}${index}`,
    common,
  })) as Parameter[];

const GROUPS = [
  { title: "Seldom", parameters: numbered(12, false) },
  { title: "Common", parameters: numbered(10, true) },
];

it("shows eight parameters first, those that launches often change", () => {
  const first = shownFirst(GROUPS, {});
  expect([...first]).toEqual(Array.from({ length: 8 }, (_, index) => `common${index}`));
});

it("shows the parameters first that the form opens with, all of them", () => {
  expect([...shownFirst(GROUPS, { seldom3: "1", seldom4: " " })]).toEqual([
    "seldom3",
    ...Array.from({ length: 7 }, (_, index) => `common${index}`),
  ]);
  const texts = Object.fromEntries(numbered(12, false).map(({ name }) => [name, "1"]));
  expect([...shownFirst(GROUPS, texts)]).toEqual(Object.keys(texts));
});
