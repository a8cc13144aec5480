import { expect, it } from "vitest";
import { clockTicks } from "./clockAxis";

const START = new Date(2026, 10, 21, 9, 58, 20).getTime();
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

const LENGTHS = [
  ...[3, 40, 900],
  ...[1, 2, 7, 20, 59].map((count) => count * SECOND),
  ...[1, 2, 3, 7, 30, 59].map((count) => count * MINUTE),
  ...[1, 5, 9, 23].map((count) => count * HOUR),
  ...[1, 2, 3, 10, 40, 100, 400, 2000, 9000].map((count) => count * DAY),
];

it.each(LENGTHS)("has a few different labels inside a range of %d ms", (length) => {
  const { at, text } = clockTicks([START, START + length]);
  expect(text.length).toBeGreaterThanOrEqual(1);
  expect(text.length).toBeLessThanOrEqual(4);
  expect(new Set(text).size).toBe(text.length);
  expect(at.every((time) => time >= START && time <= START + length)).toBe(true);
});

it("has seconds where minutes would repeat, and the day apart", () => {
  const { text, common } = clockTicks([START, START + 50 * SECOND]);
  expect(text[0]).toMatch(/9:58:30/);
  expect(common).toMatch(/2026/);
});

it("puts ticks on round times of the day, and names the day where it changes", () => {
  const { at, text, common } = clockTicks([START, START + 30 * HOUR]);
  expect(at.map((time) => new Date(time).getHours())).toEqual([0, 12]);
  expect(text[0]).toMatch(/22/);
  expect(common).toBeNull();
});

it("has the first of months on a long axis", () => {
  const { at } = clockTicks([START, START + 200 * DAY]);
  expect(at.map((time) => new Date(time).getDate())).toEqual(at.map(() => 1));
});
