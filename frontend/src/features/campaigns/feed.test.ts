import { describe, expect, it } from "vitest";
import type { Campaign } from "@/api/shapes";
import {
  EMPTY_FEED,
  type Feed,
  type FeedMessage,
  POINTS_KEPT,
  reduceFeed,
  type SamplePoint,
} from "./feed";

const campaign = (revision: number) => ({ id: 1, revision, runs: [] }) as unknown as Campaign;
const point = (second: number): SamplePoint => [second * 1e9, 1e9, 100e6, 400, 2e6, 1e6, null, 0];
const played = (messages: FeedMessage[], feed: Feed = EMPTY_FEED) =>
  messages.reduce(reduceFeed, feed);

describe("a campaign's feed", () => {
  it("keeps the newest revision if snapshot and stream arrive out of order", () => {
    const feed = played([
      { type: "campaign", campaign: campaign(8) },
      { type: "campaign", campaign: campaign(7) },
    ]);
    expect(feed.campaign?.revision).toBe(8);
  });

  it("counts a sample once, however often it is sent", () => {
    const samples = (points: SamplePoint[]): FeedMessage => ({
      type: "samples",
      participantId: 4,
      trialId: 9,
      attempt: 1,
      points,
    });
    const feed = played([
      samples([point(1), point(2)]),
      samples([point(2), point(3)]),
      samples([point(1)]),
    ]);
    expect(feed.live.get(4)?.points.map(([end]) => end / 1e9)).toEqual([1, 2, 3]);
  });

  it("starts a new strip with each trial and keeps other runs' strips", () => {
    const feed = played([
      { type: "samples", participantId: 4, trialId: 9, attempt: 1, points: [point(1)] },
      { type: "samples", participantId: 5, trialId: 30, attempt: 1, points: [point(1)] },
      { type: "samples", participantId: 4, trialId: 10, attempt: 1, points: [point(1)] },
    ]);
    expect(feed.live.get(4)).toEqual({
      participantId: 4,
      trialId: 10,
      attempt: 1,
      points: [point(1)],
    });
    expect(feed.live.get(5)?.trialId).toBe(30);
  });

  it("puts samples from before the page was opened in front of later ones", () => {
    const at9 = {
      id: 1,
      revision: 1,
      runs: [{ id: 1, participants: [{ id: 4 }], current: { trial_id: 9, attempt: 1 } }],
    };
    const feed = played([
      { type: "campaign", campaign: at9 as unknown as Campaign },
      { type: "samples", participantId: 4, trialId: 9, attempt: 1, points: [point(3), point(4)] },
      { type: "history", participantId: 4, trialId: 9, points: [point(1), point(2), point(3)] },
      { type: "history", participantId: 4, trialId: 8, points: [point(70)] },
    ]);
    expect(feed.live.get(4)?.points.map(([end]) => end / 1e9)).toEqual([1, 2, 3, 4]);
  });

  it("keeps the newest samples of a long trial", () => {
    const points = Array.from({ length: POINTS_KEPT + 50 }, (_, index) => point(index));
    const feed = played([{ type: "samples", participantId: 4, trialId: 9, attempt: 1, points }]);
    expect(feed.live.get(4)?.points).toHaveLength(POINTS_KEPT);
    expect(feed.live.get(4)?.points.at(-1)).toEqual(points.at(-1));
  });

  it("stays the same object if nothing changed, to avoid rendering", () => {
    const feed = played([
      { type: "samples", participantId: 4, trialId: 9, attempt: 1, points: [point(1)] },
    ]);
    expect(
      reduceFeed(feed, {
        type: "samples",
        participantId: 4,
        trialId: 9,
        attempt: 1,
        points: [point(1)],
      }),
    ).toBe(feed);
    expect(reduceFeed(feed, { type: "connection", connection: "connecting" })).toBe(feed);
  });
});
