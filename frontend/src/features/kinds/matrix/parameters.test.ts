import { describe, expect, it } from "vitest";
import { kindOf, parametersOf, valuesOf } from "@/features/kinds/registry";
import { byParameter, readTexts, textsOf } from "@/features/parameters/parameters";
import type { MatrixTest } from "./matrix";

const PARAMETERS = parametersOf(kindOf({ kind: "matrix" }));
const write = {
  ...kindOf({ kind: "matrix" }).initial,
  block: [65_536, 1_048_576],
  threads: [1, 2],
  file_size: 500_000_000,
  cache: "page",
} as MatrixTest;

describe("a test's parameters", () => {
  it("come back unchanged from their texts", () => {
    const { kind, title, ...rest } = write;
    const { values, errors } = readTexts(PARAMETERS, textsOf(PARAMETERS, write));
    expect(errors).toEqual({});
    expect(values).toEqual(rest);
  });
  it("are unchanged without input", () => {
    expect(readTexts(PARAMETERS, { block: "  ", repeats: "3" })).toEqual({
      values: { repeats: 3 },
      errors: {},
    });
  });
  it("assign a server error to its field", () => {
    expect(
      byParameter(PARAMETERS, {
        "tests.1.threads.0": "is 0",
        "overrides.file_size": "overflows",
        name: "?",
      }),
    ).toEqual({ threads: "is 0", file_size: "overflows" });
  });
  it("keep a figure and its unit on one line", () => {
    expect(valuesOf([write], "block")).toBe("64\u00a0KiB, 1\u00a0MiB");
  });
  it("show what differs between a profile's tests", () => {
    expect(valuesOf([write, { ...write, cache: "direct" }], "cache")).toBe(
      "Page cache / Direct (O_DIRECT)",
    );
  });
});
