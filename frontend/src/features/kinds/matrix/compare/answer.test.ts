import { describe, expect, it } from "vitest";
import type { MatrixAnswer } from "@/features/kinds/matrix/shapes";
import { cellLevels } from "@/features/kinds/matrix/testMatrix";
import { answerWords } from "./answer";

type Best = NonNullable<MatrixAnswer["a"]["best"]>;
type Reason = Extract<MatrixAnswer["best"], { code: "cannot_compare" }>["reasons"][number];

const best = (more: Partial<Best> = {}): Best => ({
  block: 262144,
  threads: 2,
  bytes_per_s: 1.39e9,
  levels: null,
  served_by: "device",
  flags: [],
  left_out_faster: 0,
  ...more,
});

const NO_CELLS: MatrixAnswer["cells"] = {
  common: 0,
  faster: 0,
  slower: 0,
  within_noise: 0,
  too_few_repeats: 0,
  cliff: 0,
  unreliable: 0,
};

const compared = (code: "faster" | "slower" | "no_difference" | "too_few_repeats", ratio = 1) => ({
  code,
  ratio: Number.isFinite(ratio) ? ratio : null,
  p: null,
});

const refused = (...reasons: [run: number, code: Reason["code"], cells?: number][]) => ({
  code: "cannot_compare" as const,
  reasons: reasons.map(([run_id, code, cells]) => ({ run_id, code, cells: cells ?? null })),
});

interface Given {
  best: MatrixAnswer["best"];
  a?: Best | null;
  b?: Best | null;
  cells?: Partial<MatrixAnswer["cells"]>;
}

function said(given: Given, unit: "MB/s" | "Gb/s" = "MB/s"): string {
  const { a = best(), b = best({ block: 65536, threads: 1, bytes_per_s: 980e6 }) } = given;
  const answer: MatrixAnswer = {
    rate: "durable",
    a: { run_id: 1, measured: true, best: a },
    b: { run_id: 2, measured: true, best: b },
    best: given.best,
    cells: { ...NO_CELLS, ...given.cells },
  };
  const text = answerWords(answer, (id) => (id === 1 ? "web-1" : "web-2"), unit);
  return text.replaceAll("\u00a0", " ");
}

/** What it says of the cells. */
const ofCells = (cells: Partial<MatrixAnswer["cells"]>) =>
  said({ best: compared("no_difference"), cells })
    .split(". ")
    .slice(1)
    .join(". ");

const RATES = "1.39 GB/s durable (256 KiB × 2 threads) versus 980 MB/s (64 KiB × 1 thread).";

describe("the answer of a comparison", () => {
  it("says by how much the first run is faster or slower, and at which settings", () => {
    expect(said({ best: compared("faster", 1.42), cells: { common: 1, faster: 1 } })).toBe(
      `At its best, web-1 is 42 % faster than web-2: ${RATES} Cell by cell, web-1 is faster than web-2 in the only common cell.`,
    );
    const first = (ratio: number) =>
      said({ best: compared(ratio > 1 ? "faster" : "slower", ratio) }).split(":")[0];
    expect(first(2.1)).toBe("At its best, web-1 is 2.10 times as fast as web-2");
    expect(first(0.7)).toBe("At its best, web-1 is 30 % slower than web-2");
    expect(first(1.002)).toBe("At its best, web-1 is under 1 % faster than web-2");
    expect(first(0.001)).toBe("At its best, web-1 is over 99 % slower than web-2");
  });

  it("uses the reader's unit", () => {
    expect(said({ best: compared("faster", 1.42) }, "Gb/s")).toContain("11.1 Gb/s durable");
  });

  it("says that noise may explain the difference", () => {
    expect(said({ best: compared("no_difference") })).toBe(
      `At their best, web-1 and web-2 are equal within noise: ${RATES} The runs have no cell in common.`,
    );
    expect(said({ best: compared("too_few_repeats") })).toContain(
      "Too few repeats to tell whether web-1 or web-2 is faster at its best: 1.39 GB/s",
    );
  });

  it("names a run that transferred nothing", () => {
    expect(said({ best: compared("slower", 0), a: best({ bytes_per_s: 0 }) })).toMatch(
      /^web-1 transferred nothing: 0 B\/s durable/,
    );
    expect(
      said({ best: compared("faster", Number.POSITIVE_INFINITY), b: best({ bytes_per_s: 0 }) }),
    ).toMatch(/^web-2 transferred nothing: 1\.39 GB\/s durable/);
  });

  it("names each reason why the best rates cannot be compared", () => {
    expect(said({ best: refused([1, "not_measured"], [2, "unreliable"]), a: null, b: null })).toBe(
      "Cannot compare the best rates: web-1 has no durable rate; web-2 has no reliable durable rate.",
    );
    expect(said({ best: refused([1, "unreliable"], [2, "unreliable"]), a: null, b: null })).toBe(
      "Cannot compare the best rates: neither web-1 nor web-2 has a reliable durable rate.",
    );
    expect(said({ best: refused([1, "left_out_faster", 1]) })).toMatch(
      /^Cannot compare the best rates: one cell of web-1, excluded as unreliable, was faster than its best cell\. Best cells: web-1 1\.39 GB\/s durable \(256 KiB × 2 threads\); web-2 980 MB\/s \(64 KiB × 1 thread\)\. The runs/,
    );
    expect(said({ best: refused([2, "left_out_faster", 3]) })).toContain(
      "three cells of web-2, excluded as unreliable, were faster than its best cell.",
    );
  });

  it("has the levels of a cliff instead of its mean", () => {
    const levels = { ...cellLevels, flagged_trials: 2 };
    const a = best({ bytes_per_s: null, levels, flags: ["cliff"] });
    expect(said({ best: refused([1, "cliff"]), a, cells: { common: 1, cliff: 1 } })).toBe(
      "Cannot compare the best rates: the rate of web-1 changed permanently during a trial. " +
        "Best cells: web-1 350 MB/s for 12 s (4.30 GB), then 41.0 MB/s durable (256 KiB × 2 threads); " +
        "web-2 980 MB/s (64 KiB × 1 thread). " +
        "The only common cell cannot be compared: permanent rate change in 1.",
    );
  });

  it("names what served a best rate other than the device", () => {
    const cached = best({ served_by: "page_cache" });
    expect(said({ best: compared("faster", 2), a: cached })).toContain(
      "). The page cache served the best rate of web-1. ",
    );
    expect(said({ best: compared("faster", 2), a: cached, b: cached })).toContain(
      "The page cache served both best rates. ",
    );
    const b = best({ served_by: "array_cache" });
    expect(said({ best: compared("faster", 2), a: best({ served_by: "unknown" }), b })).toContain(
      "It is unknown what served the best rate of web-1. The array's cache possibly served the best rate of web-2. ",
    );
  });
});

describe("the cells of a comparison", () => {
  it("are counted where the runs differ; zeros are left out", () => {
    expect(ofCells({ common: 4, faster: 1, slower: 2, within_noise: 1 })).toBe(
      "Cell by cell, web-1 is faster than web-2 in 1 of 4 common cells, slower in 2, and equal within noise in 1.",
    );
    expect(ofCells({ common: 4, slower: 3, within_noise: 1 })).toBe(
      "Cell by cell, web-1 is slower than web-2 in 3 of 4 common cells and equal within noise in 1.",
    );
    expect(ofCells({ common: 12, within_noise: 12 })).toBe(
      "Cell by cell, web-1 is equal to web-2 within noise in all 12 common cells.",
    );
  });

  it("say why some or all are inconclusive", () => {
    expect(ofCells({ common: 5, faster: 1, too_few_repeats: 1, cliff: 2, unreliable: 1 })).toBe(
      "Cell by cell, web-1 is faster than web-2 in 1 of 5 common cells. " +
        "Inconclusive: too few repeats in 1, permanent rate change in 2, no reliable rate in 1.",
    );
    expect(ofCells({ common: 3, too_few_repeats: 3 })).toBe(
      "None of the 3 common cells can be compared: too few repeats in 3.",
    );
    expect(ofCells({ common: 6, unreliable: 6 })).toBe(
      "None of the 6 common cells has a reliable rate in both runs.",
    );
    expect(ofCells({ common: 1, unreliable: 1 })).toBe(
      "The only common cell does not have a reliable rate in both runs.",
    );
  });
});
