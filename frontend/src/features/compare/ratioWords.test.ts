import { expect, it } from "vitest";
import { fasterSentence, fasterWords } from "./ratioWords";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("gives the difference in percent, and from twice the rate on as a factor", () => {
  expect([2.1, 1.42, 1.003, 0.7, 0.001].map((ratio) => plain(fasterWords(ratio)))).toEqual([
    "2.10 times as fast as",
    "42 % faster than",
    "under 1 % faster than",
    "30 % slower than",
    "over 99 % slower than",
  ]);
});

it("claims a difference only beyond noise", () => {
  const sentence = (answer: Parameters<typeof fasterSentence>[0], ratio: number) =>
    plain(fasterSentence(answer, ratio, ["web-1", "web-2"], "(4 against 2)"));
  expect(sentence("a_faster", 2)).toBe("web-1 is 2.00 times as fast as web-2 (4 against 2).");
  expect(sentence("b_faster", 0.5)).toBe("web-1 is 50 % slower than web-2 (4 against 2).");
  expect(sentence("within_noise", 1.01)).toBe(
    "web-1 is as fast as web-2 within noise (4 against 2).",
  );
  expect(sentence("too_few_repeats", 2)).toBe(
    "web-1 has 2.00 times the rate of web-2 (4 against 2), in too few repeats to exclude noise.",
  );
});
