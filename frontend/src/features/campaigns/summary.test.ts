import { describe, expect, it } from "vitest";
import type { Campaign, RunSummary } from "@/api/shapes";
import {
  bestOf,
  type Current,
  hostsOf,
  placeOf,
  placesOf,
  secondsOf,
  trialsDone,
  trialsOf,
  whereOf,
  wordsOf,
} from "./summary";

const part = (host: number, target: number, role = "writer") => ({
  id: target,
  host: { id: host, name: `web-${host}` },
  target: { id: target, path: "/mnt/a", name: "a" },
  role,
  activity: null,
});
const run = (host: number, target: number, rest: Partial<RunSummary> = {}) =>
  ({
    participants: [part(host, target)],
    trials_done: 3,
    trials_total: 8,
    best_bytes_per_s: null,
    ...rest,
  }) as RunSummary;

describe("a campaign in one line", () => {
  it("names where it runs", () => {
    expect(placesOf({ runs: [run(1, 1), run(1, 1)] })).toBe("web-1 /mnt/a");
    expect(placesOf({ runs: [run(1, 1), run(2, 2), run(2, 3)] })).toBe("3 targets on 2 hosts");
    const together = { participants: [part(1, 1), part(2, 2)] } as RunSummary;
    expect(placesOf({ runs: [together] })).toBe("2 targets on 2 hosts");
    expect(placesOf({ runs: [] })).toBe("–");
  });
  it("counts the trials of all its runs", () => {
    expect(trialsOf({ runs: [run(1, 1), run(1, 2)] })).toBe("6\u00a0/\u00a016");
  });
  it("has a best rate for each role, and never mixes reads and writes", () => {
    expect(bestOf({ runs: [run(1, 1)] })).toEqual([]);
    const runs = [
      run(1, 1, { best_bytes_per_s: 5 }),
      run(1, 2, { best_bytes_per_s: 9 }),
      run(1, 1, { participants: [part(1, 1, "reader")], best_bytes_per_s: 40 }),
    ];
    expect(bestOf({ runs })).toEqual([runs[1], runs[2]]);
  });
  it("has no duration before its end", () => {
    const times = { started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:01:30Z" };
    expect(secondsOf(times as Campaign)).toBe(90);
    expect(secondsOf({ ...times, ended_at: null } as Campaign)).toBeNull();
  });
});

describe("a transfer in one line", () => {
  const memory = { ...part(3, 0, "receiver"), target: null };
  const transfer = run(1, 1, {
    participants: [memory, part(1, 1, "sender")],
    best_bytes_per_s: 7,
  });

  it("goes from the sender to the receiver, in whatever order they are listed", () => {
    expect(hostsOf(transfer)).toBe("web-1 → web-3");
    expect(placeOf(transfer)).toBe("/mnt/a → memory");
    expect(placesOf({ runs: [transfer, transfer] })).toBe("web-1 /mnt/a → web-3 memory");
    expect(whereOf(transfer)).toBe("web-1 /mnt/a → web-3 memory");
  });
  it("names a directory that both ends have twice", () => {
    const same = run(1, 1, { participants: [part(1, 1, "sender"), part(2, 2, "receiver")] });
    expect(placeOf(same)).toBe("/mnt/a → /mnt/a");
    expect(placesOf({ runs: [transfer, same] })).toBe("2 routes");
  });
  it("is not a write", () => {
    expect(wordsOf(transfer)).toEqual({ noun: "transfer", done: "transferred" });
    const written = run(1, 2, { best_bytes_per_s: 9 });
    expect(bestOf({ runs: [transfer, written] })).toEqual([written, transfer]);
  });
});

describe("the progress of a run", () => {
  const now = new Date("2026-11-23T10:00:00Z");
  const current = (rest: object) =>
    ({ bytes: 25, total_bytes: null, started_at: "2026-11-23T09:00:00Z", ...rest }) as Current;
  const progress = (rest: Partial<RunSummary>) =>
    trialsDone(run(1, 1, { trials_done: 3, trials_total: 4, eta_s: null, ...rest }), now);

  it("counts a part of the current trial by its bytes", () => {
    expect(progress({ current: null })).toBe(3);
    expect(progress({ current: current({ total_bytes: 100 }) })).toBe(3.25);
  });

  it("counts it by the time left where the length is a duration", () => {
    expect(progress({ current: current({}), eta_s: 3 * 3600 })).toBe(3.25);
    expect(progress({ trials_done: 2, current: current({}), eta_s: 3 * 3600 })).toBe(2.5);
    expect(progress({ current: current({}) })).toBe(3);
  });
});
