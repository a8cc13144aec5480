import { describe, expect, it } from "vitest";
import { kindOf } from "@/features/kinds/registry";
import { textOf } from "./Compared";
import { letterOf } from "./ComparisonParts";

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
    expect(plain(textOf(kind, "timeout_ms", 60_000))).toBe("1 min");
    expect(textOf(kind, "threads", [1, 2])).toBe("1, 2");
    expect(textOf(kind, "array", null)).toBe("–");
  });
  it("of a list of objects has their parts in words", () => {
    const tool = { name: "copy", source_command: "cp a b", sink_command: "" };
    expect(textOf(kindOf({ kind: "tool" }), "definitions", [tool])).toBe(
      "name: copy; source_command: cp a b",
    );
  });
  it("is shown for each kind, also if it is the only one of its list", () => {
    expect(textOf(kindOf({ kind: "sustained" }), "priority", "high")).toBe("High");
    expect(textOf(kindOf({ kind: "sustained" }), "block", [800_000])).toMatch(/^800\skB$/);
    expect(textOf(kindOf({ kind: "records" }), "record_bytes", [10, 100])).toBe(
      "10\u00a0B, 100\u00a0B",
    );
    expect(textOf(kindOf({ kind: "path" }), "legs", ["memory"])).toMatch(/memory/i);
  });
  it("that is a size has the units of a result: binary for blocks, decimal for memory", () => {
    const plain = (name: string, value: unknown) =>
      textOf(kind, name, value).replaceAll("\u00a0", " ");
    expect(plain("read_ahead_bytes", 131_072)).toBe("128 KiB");
    expect(plain("alignment_bytes", 4096)).toBe("4 KiB");
    expect(plain("mem_total_bytes", [16e9, 32e9])).toBe("16.0 GB, 32.0 GB");
    expect(plain("array_cache_bytes", 64e9)).toBe("64.0 GB");
  });
});
