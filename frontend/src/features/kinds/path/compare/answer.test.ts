import { expect, it } from "vitest";
import type { Path, PathComparison, PathHeadline } from "@/features/kinds/path/shapes";
import { path } from "@/features/kinds/path/testPath";
import { answerSentences } from "./answer";

type Outcome = NonNullable<PathComparison["outcome"]>;

const run = (id: number, rate: number | null) => {
  const headline = { ...(path.headline as PathHeadline), bytes_per_s: rate };
  return { id, result: { ...path, headline } as Path };
};
const words = (outcome: Partial<Outcome>, rates: [number | null, number | null] = [545e6, 325e6]) =>
  answerSentences(
    {
      outcome: {
        kind: "path",
        a: 42,
        b: 51,
        answer: "a_faster",
        ratio: 1.68,
        p: 0.0004,
        a_limit: "sink_disk",
        b_limit: "sink_disk",
        legs: [],
        ...outcome,
      },
      runs: [run(42, rates[0]), run(51, rates[1])] as PathComparison["runs"],
    },
    (id) => (id === 42 ? "A" : "B"),
    "MB/s",
  ).map((text) => text.replaceAll("\u00a0", " "));

const AGAINST = "(545 MB/s disk to disk against 325 MB/s disk to disk)";

it("says by what factor, and what limits both", () => {
  expect(words({})).toEqual([
    `A is 68 % faster than B ${AGAINST}.`,
    "Both: limited by the sink's disk.",
  ]);
  expect(words({ ratio: 0.5, answer: "b_faster", b_limit: "link" })).toEqual([
    `A is 50 % slower than B ${AGAINST}.`,
    "A: limited by the sink's disk; B: limited by the link.",
  ]);
});

it("claims no difference within noise or of too few repeats", () => {
  expect(words({ answer: "within_noise", ratio: 1.01 })[0]).toBe(
    `A is as fast as B within noise ${AGAINST}.`,
  );
  expect(words({ answer: "too_few_repeats" })[0]).toMatch(/too few repeats to exclude noise\.$/);
});

it("does not compare what has no reliable rate", () => {
  expect(words({ answer: "not_comparable", ratio: null, b_limit: null }, [545e6, null])).toEqual([
    "A and B cannot be compared: A has 545 MB/s disk to disk; B has no reliable rate.",
  ]);
  expect(words({ answer: "not_comparable", ratio: null, b_limit: null }, [null, null])).toEqual([
    "A and B cannot be compared: neither has a reliable rate.",
  ]);
});
