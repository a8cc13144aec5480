import { describe, expect, it } from "vitest";
import { levelsWords, shortLevels } from "@/components/quantities";
import { heldLevels } from "@/features/kinds/testLevels";
import { findings } from "./matrixGrid";
import { cliffMarks, levelsOf } from "./signs";
import { cell, cliff, flag, levels, stat } from "./testMatrix";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;

describe("a cliff", () => {
  it("has its levels, in the rates that its flag concerns", () => {
    expect(levelsOf({ flags: [cliff] }, "durable")).toEqual(levels);
    expect(levelsOf({ flags: [{ ...cliff, rates: ["application"] }] }, "durable")).toBeNull();
    expect(levelsOf({ flags: [flag("too_short")] }, "durable")).toBeNull();
  });

  it("is shown in the reader's unit", () => {
    expect(plain(levelsWords(levels, "MB/s"))).toBe("350 MB/s for 12 s (4.30 GB), then 41.0 MB/s");
    expect(plain(shortLevels(levels, "Gb/s"))).toBe("2.80 Gb/s → 328 Mb/s");
  });

  it("is a mark on the chart for each step, and no other flag is", () => {
    const levels = heldLevels([300e6, 3.5], [100e6, 7], [31.5e6, 9.5]);
    const flags = [flag("timed_out"), { ...cliff, levels }];
    const marks = cliffMarks(flags, { unit: "s", size: 1e9 }, "MB/s");
    expect(marks.map(({ at }) => at)).toEqual([3.5, 10.5]);
    expect(marks.map(({ label }) => plain(label))).toEqual([
      "300 MB/s → 100 MB/s",
      "100 MB/s → 31.5 MB/s",
    ]);
    expect(plain(marks[0]?.sentence ?? "")).toBe(
      "The rate changed for good: 300 MB/s for 3.50 s (1.05 GB), then 100 MB/s for 7.00 s (700 MB), then 31.5 MB/s",
    );
    expect(plain(marks[1]?.sentence ?? "")).toBe("The rate changed again: 100 MB/s → 31.5 MB/s");
  });

  it("precedes the mean in the description of its cell", () => {
    const words = plain(
      findings(cell(65536, 1, { flags: [cliff], durable: stat(157e6) }), reading),
    );
    expect(words).toContain(
      "350 MB/s for 12 s (4.30 GB), then 41.0 MB/s durable; 157 MB/s overall",
    );
    const other = plain(findings(cell(65536, 1, { durable: stat(157e6) }), reading));
    expect(other).toContain("157 MB/s durable, mean of 3 repeats");
  });
});
