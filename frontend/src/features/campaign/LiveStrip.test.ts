import { describe, expect, it } from "vitest";
import type { SamplePoint } from "./feed";
import { liveStrips, movingPoints, rateOf } from "./LiveStrip";

const written: SamplePoint = [1e9, 1e9, 200e6, 800, 3e6, 1e6];
const hanging: SamplePoint = [2e9, 1e9, 0, 0, 0, 900e6];
const syncing: SamplePoint = [3e9, 1e9, 0, 0, 0, 0];

describe("the live strip", () => {
  it("tells a stall, where an operation hangs, from the final sync, where none is due", () => {
    expect(movingPoints([written, hanging])).toBe(2);
    expect(movingPoints([written, hanging, syncing])).toBe(2);
  });

  it("draws a stall as zero and shows the hanging operation's age", () => {
    const [rate, latency] = liveStrips([written, hanging, syncing], "MB/s");
    expect(rate?.lines[0]).toMatchObject({ x: [0, 1, 2], y: [200, 200, 0] });
    expect(latency?.lines[0]?.y).toEqual([3, 3, 900, 0]);
  });

  it("counts bytes over the interval's real length", () => {
    expect(rateOf([1e9, 0.5e9, 100e6, 1, 1, 1])).toBe(200e6);
    expect(rateOf([0, 0, 0, 0, 0, 0])).toBe(0);
  });
});
