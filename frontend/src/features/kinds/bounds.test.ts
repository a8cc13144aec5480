import { describe, expect, it } from "vitest";
import type { Test } from "@/api/shapes";
import { boundsOf } from "@/features/parameters/declared";
import { KINDS, parametersOf } from "./registry";

/** A parameter with a value beside its bounds, by kind. */
const ROWS = KINDS.flatMap((kind) => {
  const bounds = boundsOf(kind.name);
  return parametersOf(kind).flatMap((parameter) => {
    const of = bounds[parameter.name];
    return of ? [{ kind, parameter, least: of[0], most: of[1], name: parameter.name }] : [];
  });
});

/** The value next to a bound that the field can hold: numbers this large have gaps. */
const above = (most: number) => Math.max(most + 1, most * 1.001);

describe("the form's fields have the API's bounds", () => {
  it.each(ROWS)("$kind.name $name", ({ kind, parameter, least, most }) => {
    const initial = kind.initial as unknown as Record<string, unknown>;
    const isList = Array.isArray(initial[parameter.name]);
    const read = (value: number) =>
      parameter.parse(
        parameter.text({
          ...initial,
          [parameter.name]: isList ? [value] : value,
        } as unknown as Test),
      );
    for (const value of [least, most]) {
      if (!Number.isSafeInteger(value)) continue; // an expression, which the server works out
      expect(read(value)).toEqual({ value: isList ? [value] : value });
    }
    for (const value of [least - 1, above(most)]) {
      if (value < 0 || !Number.isSafeInteger(most)) continue;
      expect(read(value)).toHaveProperty("error");
    }
  });
});

it("a new test of every kind has a value of every parameter", () => {
  for (const kind of KINDS) {
    const names = parametersOf(kind).map(({ name }) => name);
    expect(Object.keys(kind.initial).toSorted()).toEqual([...names, "kind", "title"].toSorted());
  }
});
