import { expect, test } from "vitest";
import { answerWords, shownLosses } from "./DirectionSections";

const losses = [
  { buffered: 1, dropped: 12 },
  { buffered: 2, dropped: 11 },
  { buffered: 4, dropped: 0 },
  { buffered: 8, dropped: 0 },
];
const frames = { bytes: 35_000_000, count: 1440, needed: 3, growing: false, losses };

test("the memories that lose frames are shown, and the first that does not", () => {
  expect(shownLosses(frames).map(({ buffered }) => buffered)).toEqual([1, 2, 4]);
  expect(shownLosses({ ...frames, losses: losses.slice(0, 2) })).toHaveLength(2);
});

test("the answer names the memory, of each stream if there are several", () => {
  const words = (streams: number) => answerWords(frames, streams).replaceAll("\u00a0", " ");
  expect(words(1)).toBe(
    "None of 1440 frames would have been lost with 3 frames (105 MB) of memory.",
  );
  expect(words(2)).toContain("of memory in each stream.");
});

test("no memory is called enough for a storage that fell behind until the end", () => {
  expect(answerWords({ ...frames, growing: true }, 1)).toContain("fell behind until the end");
});
