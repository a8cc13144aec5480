import { describe, expect, it } from "vitest";
import type { Run } from "@/api/shapes";
import { namesOf } from "./ComparisonParts";

const run = (...places: [host: string, path: string | null][]) =>
  ({
    participants: places.map(([name, path]) => ({ host: { name }, target: path && { path } })),
  }) as unknown as Run;

describe("the names of compared runs", () => {
  it("are the hosts if these differ", () => {
    expect(namesOf([run(["web-1", "/a"]), run(["web-2", "/a"], ["web-3", "/a"])])).toEqual([
      "web-1",
      "web-2 + web-3",
    ]);
  });

  it("are hosts and directories if only these differ", () => {
    expect(namesOf([run(["web-1", "/a"]), run(["web-1", null])])).toEqual(["web-1 /a", "web-1"]);
  });

  it("have each host once", () => {
    const both = run(["web-1", "/a"], ["web-1", "/b"]);
    expect(namesOf([both, run(["web-2", "/a"])])).toEqual(["web-1", "web-2"]);
  });

  it("are letters for runs of the same target", () => {
    expect(namesOf([run(["web-1", "/a"]), run(["web-1", "/a"])])).toEqual(["A", "B"]);
  });
});
