import { describe, expect, it } from "vitest";
import { labelsIn, labelText, parseLabels } from "./Labels";

describe("labels as text", () => {
  it("has a label on each line", () => {
    expect(labelText({ rack: "b7", "site/room": "fra = 2" })).toBe("rack=b7\nsite/room=fra = 2");
    expect(labelText({})).toBe("");
  });

  it("reads what it writes", () => {
    const labels = { rack: "b7", "site/room": "fra = 2" };
    expect(labelsIn(labelText(labels))).toEqual(labels);
  });

  it("ignores spaces around keys and values, and empty lines", () => {
    expect(parseLabels("\n  rack = b7 \n\n")).toEqual({ labels: { rack: "b7" } });
  });

  it("keeps a key that objects have by themselves", () => {
    expect(Object.entries(labelsIn("__proto__=x"))).toEqual([["__proto__", "x"]]);
  });

  it.each([
    ["rack", "“rack” has no value"],
    ["rack=b7\nrack=b8", "“rack” occurs twice"],
  ])("rejects %j", (text, mistake) => {
    expect(parseLabels(text)).toEqual({ mistake: expect.stringContaining(mistake) });
  });
});
