import { expect, test } from "vitest";
import { mistakeText } from "./CriteriaField";

test("a mistake names its place and the remedy", () => {
  const mistake = { position: 17, message: "unknown unit 'QB'", remedy: "Use MB/s." };
  expect(mistakeText(mistake)).toBe("unknown unit 'QB' (character 18). Use MB/s.");
});
