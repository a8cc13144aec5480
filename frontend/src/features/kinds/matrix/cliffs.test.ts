import { describe, expect, it } from "vitest";
import { levelsWords, shortLevels } from "@/components/quantities";
import { cliffMarks, levelsOf } from "./cliffs";
import { findings } from "./matrixGrid";
import { cell, cliff, flag, levels, stat } from "./testMatrix";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;

describe("a cliff", () => {
  it("has two levels, in the rates that its flag concerns", () => {
    expect(levelsOf({ flags: [cliff] }, "durable")).toEqual(levels);
    expect(levelsOf({ flags: [{ ...cliff, rates: ["application"] }] }, "durable")).toBeNull();
    expect(levelsOf({ flags: [flag("too_short")] }, "durable")).toBeNull();
  });

  it("is shown in the reader's unit", () => {
    expect(plain(levelsWords(levels, "MB/s"))).toBe("350 MB/s for 12 s, then 41.0 MB/s");
    expect(plain(shortLevels(levels, "Gb/s"))).toBe("2.80 Gb/s → 328 Mb/s");
  });

  it("is a mark on the chart, with its sentence, and no other flag is", () => {
    const flags = [flag("timed_out"), cliff];
    const marks = cliffMarks(flags, { unit: "s", size: 1e9 }, "MB/s");
    expect(marks).toHaveLength(1);
    expect(marks[0]?.at).toBe(12.3);
    expect(plain(marks[0]?.sentence ?? "")).toBe(cliff.evidence);
    expect(plain(marks[0]?.label ?? "")).toBe("350 MB/s → 41.0 MB/s");
  });

  it("precedes the mean in the description of its cell", () => {
    const words = plain(
      findings(cell(65536, 1, { flags: [cliff], durable: stat(157e6) }), reading),
    );
    expect(words).toContain("350 MB/s for 12 s, then 41.0 MB/s durable; 157 MB/s overall");
    const other = plain(findings(cell(65536, 1, { durable: stat(157e6) }), reading));
    expect(other).toContain("157 MB/s durable, mean of 3 repeats");
  });
});
