import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/client";
import type { Campaign } from "@/api/shapes";
import { CampaignStream, type EventChannel } from "./stream";

/** The server's end of a stream, controlled by the test. */
class TestChannel extends EventTarget implements EventChannel {
  readyState = 0;
  closed = false;

  close() {
    this.readyState = 2;
    this.closed = true;
  }

  opened() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  sent(type: "campaign" | "samples" | "deleted", data: unknown) {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
  }

  refused() {
    this.readyState = 2;
    this.dispatchEvent(new Event("error"));
  }
}

const campaign = (revision: number, state = "running") =>
  ({
    id: 1,
    revision,
    state,
    runs: [
      {
        id: 2,
        participants: [{ id: 4 }],
        current: {
          trial_id: 9,
          attempt: 1,
          participants: [{ participant_id: 4, state: "running" }],
        },
      },
    ],
  }) as unknown as Campaign;
const samples = (second: number) => ({
  run_id: 2,
  participant_id: 4,
  trial_id: 9,
  attempt: 1,
  points: [[second * 1e9, 1e9, 1, 1, 1, 0, null, 0]],
});

describe("a campaign's stream", () => {
  let channels: TestChannel[];
  let snapshots: number;
  let missing: boolean;
  let stream: CampaignStream;
  let redraws: number;
  let leave: () => void;

  beforeEach(() => {
    vi.useFakeTimers();
    channels = [];
    snapshots = 0;
    missing = false;
    redraws = 0;
    stream = new CampaignStream({
      open: () => {
        const channel = new TestChannel();
        channels.push(channel);
        return channel;
      },
      snapshot: async () => {
        if (missing) throw new Problem({ title: "Not found", status: 404 });
        return campaign(10 * ++snapshots);
      },
      history: async () => [[5e9, 5e9, 5, 5, 1, 0, null, 0]],
    });
    leave = stream.subscribe(() => redraws++);
  });
  afterEach(() => {
    leave();
    vi.useRealTimers();
  });

  const channel = () => channels.at(-1) as TestChannel;

  it("takes a snapshot when it connects and when the browser connected again", async () => {
    channel().opened();
    await vi.advanceTimersByTimeAsync(600);
    expect(stream.current()).toMatchObject({ connection: "live", campaign: { revision: 10 } });
    channel().dispatchEvent(new Event("error"));
    channel().opened();
    await vi.advanceTimersByTimeAsync(600);
    expect(stream.current().campaign?.revision).toBe(20);
    expect(channels).toHaveLength(1);
  });

  it("redraws at most twice a second and loses no sample between", async () => {
    channel().opened();
    for (let tenth = 0; tenth < 30; tenth++) {
      channel().sent("samples", samples(tenth));
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(500);
    expect(redraws).toBeLessThanOrEqual(8);
    // The first stored point covers five seconds, and so all samples that were streamed until then.
    expect(
      stream
        .current()
        .live.get(4)
        ?.points.map(([endNs]) => endNs / 1e9),
    ).toEqual([5, ...Array.from({ length: 24 }, (_, index) => index + 6)]);
  });

  it("reconnects with backoff when the server rejects a stream", async () => {
    channel().refused();
    await vi.advanceTimersByTimeAsync(999);
    expect(channels).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(channels).toHaveLength(2);
    channel().refused();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(channels).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(channels).toHaveLength(3);
    expect(stream.current().connection).toBe("reconnecting");
  });

  it("detects a silently dead connection and reconnects", async () => {
    channel().opened();
    await vi.advanceTimersByTimeAsync(9_900);
    expect(channels).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(channels.map(({ closed }) => closed)).toEqual([true, false]);
    expect(stream.current().campaign?.revision).toBe(20);
  });

  it("closes when the campaign has ended", async () => {
    channel().opened();
    channel().sent("campaign", campaign(99, "done"));
    await vi.advanceTimersByTimeAsync(600);
    expect(channel().closed).toBe(true);
    expect(stream.current()).toMatchObject({ connection: "ended", campaign: { revision: 99 } });
  });

  it("closes when the campaign was deleted, and keeps its last state", async () => {
    channel().opened();
    await vi.advanceTimersByTimeAsync(600);
    channel().sent("deleted", {});
    expect(channel().closed).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channels).toHaveLength(1);
    expect(stream.current()).toMatchObject({ connection: "deleted", campaign: { revision: 10 } });
  });

  it("detects a deletion that it missed", async () => {
    channel().opened();
    await vi.advanceTimersByTimeAsync(600);
    missing = true;
    channel().refused();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(stream.current().connection).toBe("deleted");
    const tried = channels.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channels).toHaveLength(tried);
  });

  it("closes without listeners, and does not reconnect", async () => {
    channel().refused();
    leave();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(channels).toHaveLength(1);
    expect(channel().closed).toBe(true);
  });
});
