import { expect, it } from "vitest";
import { oneWaySentences } from "@/features/kinds/path/compare/answer";
import { headlineWords } from "@/features/kinds/path/headline";
import type { PathHeadline } from "@/features/kinds/path/shapes";
import { path } from "@/features/kinds/path/testPath";
import { oneWayOf } from "./oneWay";

const [forward, back] = [
  { sources: ["a"], sinks: ["z"] },
  { sources: ["z"], sinks: ["a"] },
];
const leg = { leg: "memory", block: 2 ** 20, streams: 4 } as const;
const compared = {
  ...leg,
  a_bytes_per_s: 1e9,
  b_bytes_per_s: 1e9,
  ratio: 1,
  p: null,
  answer: "within_noise",
  one_way: [
    {
      run: "a",
      ...forward,
      bytes_per_s: 600e6,
      one_way_bytes_per_s: 1e9,
      ratio: 0.6,
      p: 0.001,
      answer: "slower",
    },
  ],
} as const;

it("finds what the same direction of the same leg does alone", () => {
  const known = [compared] as unknown as Parameters<typeof oneWayOf>[0];
  expect(oneWayOf(known, leg, forward as never)?.ratio).toBe(0.6);
  expect(oneWayOf(known, leg, back as never)).toBeNull();
  expect(oneWayOf(known, { ...leg, streams: 8 }, forward as never)).toBeNull();
});

it("says in a comparison what both directions cost each one", () => {
  const legs = [compared] as unknown as Parameters<typeof oneWaySentences>[0];
  expect(oneWaySentences(legs, "MB/s").map((text) => text.replaceAll("\u00a0", " "))).toEqual([
    "Memory to memory, a → z: with traffic in both directions 0.600 times its rate one way (600 MB/s against 1.00 GB/s).",
  ]);
});

it("says that a rate is that of both directions", () => {
  const headline = { ...(path.headline as PathHeadline), full_duplex: true };
  expect(headlineWords(headline, "MB/s")).toContain("disk to disk, both directions together");
});
