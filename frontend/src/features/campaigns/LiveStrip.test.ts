import { describe, expect, it } from "vitest";
import type { SamplePoint } from "./feed";
import { liveSeries, liveStrips, movingPoints, rateOf } from "./LiveStrip";

const written: SamplePoint = [1e9, 1e9, 200e6, 800, 3e6, 1e6];
const hanging: SamplePoint = [2e9, 1e9, 0, 0, 0, 900e6];
const syncing: SamplePoint = [2e9, 1e9, 0, 0, 0, 900e6];
const stripsOf = (points: SamplePoint[], moved: boolean) =>
  liveStrips(liveSeries(9, [{ name: "web-1", points, moved }]), "MB/s");

describe("the live strip", () => {
  it("distinguishes a stall from the final sync, in which no bytes move", () => {
    expect(movingPoints([written, hanging], false)).toBe(2);
    expect(movingPoints([written, syncing], true)).toBe(1);
  });

  it("draws a stall as zero and shows the hanging operation's age", () => {
    const [rate, latency] = stripsOf([written, hanging], false);
    expect(rate?.lines[0]).toMatchObject({ x: [0.5, 1.5], y: [200, 0], points: true });
    expect(latency?.lines[0]?.y).toEqual([3, 900]);
  });

  it("ends the throughput where the sync begins, and excludes its age from latencies", () => {
    const [rate, latency] = stripsOf([written, syncing], true);
    expect(rate?.lines[0]?.y).toEqual([200]);
    expect(latency?.lines[0]?.y).toEqual([3, null]);
  });

  it("draws no spike for the shortened last interval of a trial", () => {
    const cut: SamplePoint = [1.003e9, 0.003e9, 9e6, 36, 2e6, 0];
    const [rate] = stripsOf([written, cut], true);
    expect(rate?.lines[0]?.x).toHaveLength(1);
    expect(Math.max(...(rate?.lines[0]?.y ?? []).map(Number))).toBeLessThan(210);
  });

  it("draws a named line for each participant that has begun", () => {
    const courses = [
      { name: "web-1", points: [written], moved: false },
      { name: "web-2", points: undefined, moved: false },
      { name: "web-3", points: [written], moved: false },
    ];
    const [rate] = liveStrips(liveSeries(9, courses), "MB/s");
    expect(rate?.lines.map(({ name }) => name)).toEqual(["web-1", "web-3"]);
  });

  it("counts bytes over the interval's real length", () => {
    expect(rateOf([1e9, 0.5e9, 100e6, 1, 1, 1])).toBe(200e6);
    expect(rateOf([0, 0, 0, 0, 0, 0])).toBe(0);
  });
});
