import { describe, expect, it } from "vitest";
import { type End, fitted, pairsOf } from "./ends";

const hosts = (...ids: number[]): End[] => ids.map((host_id) => ({ host_id }));

describe("the pairs of a launch", () => {
  it("are each source with the only sink, or the only source with each sink", () => {
    expect(pairsOf({ sources: hosts(1, 2), sinks: hosts(3) }, "together")).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(pairsOf({ sources: hosts(1), sinks: hosts(2, 3) }, "scale_out")).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(pairsOf({ sources: hosts(1), sinks: [] }, "together")).toEqual([]);
  });

  it("are each source with the sink at its position", () => {
    const ends = { sources: hosts(1, 2), sinks: hosts(3, 4) };
    expect(pairsOf(ends, "together")).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(pairsOf({ ...ends, sinks: hosts(3, 4, 5) }, "together")).toBeNull();
  });

  it("are in a mesh each end with each other one, in both directions", () => {
    const ends = hosts(1, 2, 3);
    expect(pairsOf({ sources: ends, sinks: ends }, "mesh")).toEqual([
      [0, 1],
      [0, 2],
      [1, 0],
      [1, 2],
      [2, 0],
      [2, 1],
    ]);
  });
});

it("leaves out the ends that a test does not allow", () => {
  const ends = { sources: hosts(1, 2), sinks: hosts(3, 4) };
  const limits = { severalSources: true, severalSinks: false, arrangements: [] };
  expect(fitted(ends, limits)).toEqual({ sources: hosts(1, 2), sinks: hosts(3) });
});
