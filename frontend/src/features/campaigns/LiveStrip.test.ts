import { describe, expect, it } from "vitest";
import { SYNC, WRITE } from "@/features/samples/series";
import { isInSync, type SamplePoint } from "./feed";
import { liveSeries, liveStrips, rateOf, totalSeries } from "./LiveStrip";

const written: SamplePoint = [1e9, 1e9, 200e6, 800, 3e6, 1e6, 40e6, WRITE];
const hanging: SamplePoint = [2e9, 1e9, 0, 0, 0, 900e6, 0, WRITE];
const syncing: SamplePoint = [2e9, 1e9, 0, 0, 0, 900e6, 90e6, SYNC];
const stripsOf = (points: SamplePoint[]) =>
  liveStrips(liveSeries(9, [{ name: "web-1", points, counts: true }]), "MB/s");

describe("the live strip", () => {
  it("distinguishes a stall from the final sync, in which no bytes move", () => {
    expect(isInSync({ points: [written, hanging] })).toBe(false);
    expect(isInSync({ points: [written, syncing] })).toBe(true);
    expect(isInSync({ points: undefined })).toBe(false);
  });

  it("shows what the device takes during the final sync", () => {
    const [rate] = stripsOf([written, syncing]);
    const [, device] = rate?.lines ?? [];
    expect(device?.name).toBe("latest trial, device in the final sync");
    expect(device?.y).toEqual([null, 90]);
    const unknown: SamplePoint = [2e9, 1e9, 0, 0, 0, 900e6, null, SYNC];
    expect(stripsOf([written, unknown])[0]?.lines).toHaveLength(1);
  });

  it("draws a stall as zero and shows the hanging operation's age", () => {
    const [rate, latency] = stripsOf([written, hanging]);
    expect(rate?.lines[0]).toMatchObject({ x: [0.5, 1.5], y: [200, 0], points: true });
    expect(latency?.lines[0]?.y).toEqual([3, 900]);
  });

  it("ends the throughput where the sync begins, and excludes its age from latencies", () => {
    const [rate, latency] = stripsOf([written, syncing]);
    expect(rate?.lines[0]?.y).toEqual([200]);
    expect(latency?.lines[0]?.y).toEqual([3, null]);
  });

  it("draws no spike for the shortened last interval of a trial", () => {
    const cut: SamplePoint = [1.003e9, 0.003e9, 9e6, 36, 2e6, 0, null, WRITE];
    const [rate] = stripsOf([written, cut]);
    expect(rate?.lines[0]?.x).toHaveLength(1);
    expect(Math.max(...(rate?.lines[0]?.y ?? []).map(Number))).toBeLessThan(210);
  });

  it("draws a named line for each participant that has begun", () => {
    const courses = [
      { name: "web-1", points: [written], counts: true },
      { name: "web-2", points: undefined, counts: true },
      { name: "web-3", points: [written], counts: true },
    ];
    const [rate] = liveStrips(liveSeries(9, courses), "MB/s");
    expect(rate?.lines.map(({ name }) => name)).toEqual(["web-1", "web-3"]);
  });

  it("draws the sum of what counts, where that is more than one participant", () => {
    const courses = [
      { name: "web-1", points: [written], counts: false },
      { name: "from web-1", points: [written], counts: true },
      { name: "from web-2", points: [written], counts: true },
    ];
    const totalOf = (of: typeof courses) => totalSeries(9, of).map(({ samples }) => samples);
    expect(totalOf(courses)[0]?.columns.rate_mean_bytes_per_s).toEqual([400e6]);
    expect(totalOf(courses.slice(0, 2))).toEqual([]);
  });

  it("counts bytes over the interval's real length", () => {
    expect(rateOf([1e9, 0.5e9, 100e6, 1, 1, 1, null, WRITE])).toBe(200e6);
    expect(rateOf([0, 0, 0, 0, 0, 0, null, WRITE])).toBe(0);
  });
});
