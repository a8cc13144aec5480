import { expect, it } from "vitest";
import { marginText } from "./CarryTable";

it.each([
  [null, "–"],
  [0.12, "+12 %"],
  [-0.46, "−46 %"],
  [194, "195 times"],
  [0.003, "+0.3 %"],
])("shows a margin of %s as %s", (margin, text) => {
  expect(marginText(margin).replaceAll("\u00a0", " ")).toBe(text);
});

it("never shows a shortfall as a margin of +0 %", () => {
  expect(marginText(-0.004).replaceAll("\u00a0", " ")).toBe("−0.4 %");
  expect(marginText(-0.0004).replaceAll("\u00a0", " ")).toBe("under 0.1 %");
});
