import { describe, expect, it } from "vitest";
import { isProven, ratioGrid, ratioText } from "./RatioPanel";

const NO_RATES = { durable_bytes_per_s: null, application_bytes_per_s: null };

const ratioCell = (durable: number | null, p: number | null) => ({
  block: 65536,
  threads: 1,
  durable,
  application: 1.5,
  a: NO_RATES,
  b: NO_RATES,
  significant: false,
  durable_p: p,
  application_p: 0.001,
  durable_too_few_repeats: false,
  application_too_few_repeats: false,
});
const grid = (durable: number | null, p: number | null = 0.01) =>
  ratioGrid({ a: 1, b: 2, rate: "durable", cells: [ratioCell(durable, p)] }, "durable", ["A", "B"])
    .rows[0]?.cells[0];

describe("A against B", () => {
  it("is white where both are level, and says in words which is faster", () => {
    expect(grid(1)?.fill).toBe("#ffffff");
    expect(grid(1.24)).toMatchObject({ text: "1.24×", withinNoise: false });
    expect(grid(1.24)?.sentence.replaceAll("\u00a0", " ")).toBe(
      "64 KiB × 1 thread: A is 24 % faster than B",
    );
    expect(grid(0.8)?.sentence).toContain("slower than B");
  });

  it("hatches what the repeats do not prove", () => {
    expect(grid(1.1, 0.2)).toMatchObject({ withinNoise: true });
    expect(grid(1.1, 0.2)?.sentence).toContain("within noise");
  });

  it("marks cells that one of the two has not measured", () => {
    expect(grid(null)).toMatchObject({ state: "empty", text: "–", fill: null });
  });

  it("uses 3 % without repeats, each rate by its own test", () => {
    expect(isProven(ratioCell(1.02, null), "durable")).toBe(false);
    expect(isProven(ratioCell(0.96, null), "durable")).toBe(true);
    expect(isProven(ratioCell(1.02, null), "application")).toBe(true);
  });

  it("prints two decimals, one from ten times on", () => {
    expect([1, 0.053, 12.34].map(ratioText)).toEqual(["1.00×", "0.05×", "12.3×"]);
  });

  it("does not compare means over a cliff", () => {
    const ratio = { a: 1, b: 2, rate: "durable" as const, cells: [ratioCell(1.21, 0.01)] };
    const cell = ratioGrid(ratio, "durable", ["A", "B"], new Set(["65536x1"])).rows[0]?.cells[0];
    expect(cell).toMatchObject({ withinNoise: false, note: "cliff", text: "1.21×" });
    expect(cell?.sentence).toContain(
      "by the means, but the rate changed permanently during a trial",
    );
    expect(cell?.sentence).not.toContain("faster");
  });

  it("does not call a difference noise with too few repeats", () => {
    const few = { ...ratioCell(5.2, 0.12), durable_too_few_repeats: true };
    const cell = ratioGrid({ a: 1, b: 2, rate: "durable", cells: [few] }, "durable", ["A", "B"])
      .rows[0]?.cells[0];
    expect(cell).toMatchObject({ withinNoise: false, note: "too few" });
    expect(cell?.sentence).toContain("too few repeats to tell");
  });
});
