import { describe, expect, it } from "vitest";
import type { Advice, Matrix } from "@/features/kinds/matrix/shapes";
import { cellLevels, matrixOf } from "@/features/kinds/matrix/testMatrix";
import { adviceWords } from "./advice";

const TWO = { block: 262144, threads: 2 };

const advice = (more: Partial<Advice> = {}): Advice => ({
  block: 262144,
  threads: 1,
  settings: {},
  bytes_per_s: 1.39e9,
  levels: null,
  reason: {
    code: "best",
    best: { block: 262144, threads: 1 },
    best_bytes_per_s: 1.39e9,
    means_over_cliffs: false,
  },
  ...more,
});

const reason = (more: Partial<Advice["reason"]>) => ({ ...advice().reason, ...more });

const said = (of: Advice, matrix: Matrix = matrixOf([]), unit: "MB/s" | "Gb/s" = "MB/s") =>
  adviceWords(matrix, of, unit).replaceAll("\u00a0", " ");

describe("a recommendation", () => {
  it("names the setting, its rate in the reader's unit, and that it is the best", () => {
    expect(said(advice())).toBe("One writer with 256 KiB blocks reaches 1.39 GB/s: the best cell.");
    expect(said(advice({ threads: 2 }), matrixOf([], ["application"]), "Gb/s")).toBe(
      "Two readers with 256 KiB blocks reach 11.1 Gb/s: the best cell.",
    );
  });

  it("names the best cell that a cheaper setting equals", () => {
    expect(said(advice({ reason: reason({ code: "within_noise_of_best", best: TWO }) }))).toBe(
      "One writer with 256 KiB blocks reaches 1.39 GB/s, within noise of the best cell (two writers with 256 KiB blocks).",
    );
  });

  it("names the levels of a cliff, and that means were compared", () => {
    const of = advice({
      bytes_per_s: null,
      levels: cellLevels,
      reason: reason({ means_over_cliffs: true }),
    });
    expect(said(of)).toBe(
      "One writer with 256 KiB blocks reaches 350 MB/s for 12 s (4.30 GB), then 41.0 MB/s (in 1 of 2 repeats): the highest mean.",
    );
  });

  it("applies to each target where several are measured together", () => {
    const alone = matrixOf([]);
    const together = { ...alone, participants: [...alone.participants, ...alone.participants] };
    expect(said(advice(), together)).toBe(
      "One writer with 256 KiB blocks on each of two targets reaches 1.39 GB/s in total: the best cell.",
    );
  });
});
