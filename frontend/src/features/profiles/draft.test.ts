import { describe, expect, it } from "vitest";
import type { Profile, Test } from "@/api/shapes";
import { kindOf } from "@/features/kinds/registry";
import { draftOf, readDraft, remarksOn, withAnotherTest } from "./draft";

const test = {
  ...kindOf({ kind: "matrix" }).initial,
  operation: "read",
  title: "Read",
  block: [65_536],
  threads: [1, 2],
  file_size: "2 * ram",
  cache: "direct",
  order: "given",
} as Test;
const profile = {
  id: 1,
  name: "Mine",
  description: "",
  body: {
    tests: [test],
    watch_ms: 600_000,
    criteria: [{ criterion: "read.p99 < 20 ms", stop: true }],
  },
} as unknown as Profile;

describe("a profile's draft", () => {
  it("comes back unchanged when nothing was edited", () => {
    const { body } = readDraft(draftOf(profile));
    expect(body).toEqual({ name: "Mine", description: "", body: profile.body });
  });
  it("names empty and invalid fields of each test", () => {
    const draft = withAnotherTest(draftOf(profile));
    const second = draft.tests[1];
    if (!second) throw new Error("no second test");
    second.texts = { ...second.texts, block: "", threads: "0" };
    const { body, errors } = readDraft(draft);
    expect(body).toBeNull();
    expect(Object.keys(errors.tests[0] ?? {})).toEqual([]);
    expect(Object.keys(errors.tests[1] ?? {})).toEqual(["block", "threads"]);
  });
  it("assigns the server's errors to their test", () => {
    const kind = kindOf(test);
    const fields = { "body.tests.1.file_size": "overflows" };
    expect(remarksOn(kind, fields, 0)).toEqual({});
    expect(remarksOn(kind, fields, 1)).toEqual({ file_size: "overflows" });
  });
});
