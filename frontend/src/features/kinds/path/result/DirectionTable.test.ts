import { expect, it } from "vitest";
import { oneWayOf } from "./DirectionTable";

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
