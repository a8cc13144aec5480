import { describe, expect, it } from "vitest";
import {
  cividis,
  contrast,
  diverging,
  inkOn,
  luminance,
  parseHex,
  positionOn,
  ratioSpan,
  readableOn,
  scaleOf,
  seriesStyle,
  widened,
} from "./color";

const steps = Array.from({ length: 101 }, (_, index) => index / 100);

describe("cividis", () => {
  it("grows lighter monotonically, so that it works in grayscale", () => {
    const lights = steps.map((step) => luminance(parseHex(cividis(step))));
    for (let index = 1; index < lights.length; index++) {
      expect(lights[index]).toBeGreaterThan(lights[index - 1] as number);
    }
  });

  it("clamps values outside the scale", () => {
    expect(cividis(-3)).toBe(cividis(0));
    expect(cividis(7)).toBe(cividis(1));
  });
});

describe("a scale of amounts", () => {
  it("spans at least 10 % to each side of its middle, so that noise does not look like structure", () => {
    const scale = widened({ min: 38.9, max: 39 });
    expect(scale.min).toBeCloseTo(35.06, 1);
    expect(scale.max).toBeCloseTo(42.8, 1);
    const [low, high] = [positionOn(scale, 38.9), positionOn(scale, 39)];
    expect(high - low).toBeLessThan(0.02);
  });

  it("is unchanged if it spans more", () => {
    expect(widened({ min: 10, max: 90 })).toEqual({ min: 10, max: 90 });
  });
});

describe("text on a fill", () => {
  it("has AA contrast on every color of both scales", () => {
    for (const step of steps) {
      for (const fill of [cividis(step), diverging(2 ** (step * 4 - 2), 2)]) {
        expect(contrast(fill, inkOn(fill)), fill).toBeGreaterThanOrEqual(4.5);
      }
    }
  });
});

describe("diverging", () => {
  it("is white at 1× and as far from white at half as at double", () => {
    expect(diverging(1, 1)).toBe("#ffffff");
    expect(diverging(0.5, 1)).toBe(diverging(0.01, 1));
    expect(diverging(2, 1)).toBe(diverging(99, 1));
  });

  it("spans the widest ratio in both directions, and never less than 25 %", () => {
    expect(ratioSpan([1.02, 0.99])).toBeCloseTo(Math.log2(1.25));
    expect(ratioSpan([0.25, 2])).toBe(2);
    expect(ratioSpan([null, Number.NaN, 0, 4])).toBe(2);
  });
});

describe("a label in a series’ color", () => {
  it("keeps a color with enough contrast, and mixes others with ink", () => {
    expect(readableOn("#ffffff", "#0072b2", "#000000")).toBe("#0072b2");
    for (let index = 0; index < 8; index++) {
      for (const [surface, ink] of [
        ["#f3f5f6", "#14191d"],
        ["#15181b", "#e6eaed"],
      ] as const) {
        const label = readableOn(surface, seriesStyle(index, ink).color, ink);
        expect(contrast(label, surface)).toBeGreaterThanOrEqual(4.5);
      }
    }
  });
});

describe("scale", () => {
  it("ignores missing values", () => {
    expect(scaleOf([null, 3, undefined, 1, Number.NaN])).toEqual({ min: 1, max: 3 });
    expect(scaleOf([null])).toBeNull();
  });

  it("maps the minimum to its bottom and the maximum to its top", () => {
    expect([10, 30, 50].map((value) => positionOn({ min: 10, max: 50 }, value))).toEqual([
      0, 0.5, 1,
    ]);
  });

  it("puts a single value at the top", () => {
    expect(positionOn({ min: 5, max: 5 }, 5)).toBe(1);
  });
});

describe("series", () => {
  it("has 32 styles before one repeats", () => {
    const styles = new Set(
      Array.from({ length: 32 }, (_, index) => JSON.stringify(seriesStyle(index, "#000000"))),
    );
    expect(styles.size).toBe(32);
    expect(seriesStyle(32, "#000000")).toEqual(seriesStyle(0, "#000000"));
  });

  it("has a style for every index, so that odd data is still drawn", () => {
    const drawn = seriesStyle(-1, "#000000");
    expect(drawn.color).toMatch(/^#/);
    expect(drawn.dash).toBe("dashdot");
  });

  it("draws the palette’s black in the page’s ink", () => {
    expect(seriesStyle(7, "#f1f1f1").color).toBe("#f1f1f1");
  });
});
