import { describe, expect, it } from "vitest";
import { kindOf } from "@/features/kinds/registry";
import { textOf } from "./Differences";
import { letterOf } from "./letters";

describe("a run’s letter", () => {
  it("continues after Z", () => {
    expect([0, 1, 25, 26, 27].map(letterOf)).toEqual(["A", "B", "Z", "AA", "AB"]);
  });
});

describe("a condition that differs", () => {
  const kind = kindOf({ kind: "matrix" });
  it("is formatted as elsewhere: blocks in binary units, durations as durations", () => {
    const plain = (text: string) => text.replaceAll("\u00a0", " ");
    expect(plain(textOf(kind, "block", [65536, 1048576]))).toBe("64 KiB, 1 MiB");
    expect(plain(textOf(kind, "timeout_ms", 60_000))).toBe("60 s");
    expect(textOf(kind, "threads", [1, 2])).toBe("1, 2");
    expect(textOf(kind, "array", null)).toBe("–");
  });
});
