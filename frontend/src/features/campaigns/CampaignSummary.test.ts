import { describe, expect, it } from "vitest";
import type { Campaign } from "@/api/shapes";
import { progressOf } from "./CampaignSummary";

const run = (host: number, done: number, eta_s: number | null, more: object = {}) => ({
  participants: [{ host: { id: host, name: `host ${host}` } }],
  trials_done: done,
  trials_total: 10,
  eta_s,
  state: "running",
  started_at: null as string | null,
  ended_at: null as string | null,
  ...more,
});
const campaign = (...runs: ReturnType<typeof run>[]) => ({ runs }) as unknown as Campaign;

describe("a campaign’s progress", () => {
  it("counts trials over all runs", () => {
    expect(progressOf(campaign(run(1, 3, null), run(2, 10, null)))).toMatchObject({
      done: 13,
      total: 20,
    });
  });

  it("takes as long as its slowest host, whose runs are sequential", () => {
    expect(progressOf(campaign(run(1, 0, 60), run(1, 0, 30), run(2, 0, 70))).leftS).toBe(90);
  });

  it("estimates queued runs by the other runs' time per trial", () => {
    const queued = run(1, 0, null, { state: "queued", trials_total: 20 });
    expect(progressOf(campaign(run(1, 5, 30), queued)).leftS).toBe(30 + 20 * 6);
    const ended = run(1, 10, null, {
      state: "done",
      started_at: "2026-01-01T00:00:00Z",
      ended_at: "2026-01-01T00:00:40Z",
    });
    expect(progressOf(campaign(ended, queued)).leftS).toBe(20 * 4);
  });

  it("has no remaining time before anything is known", () => {
    expect(progressOf(campaign(run(1, 0, null))).leftS).toBeNull();
  });
});
