import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { asProblem } from "@/api/client";
import { campaignQuery } from "@/api/queries";
import type { Campaign, RunSummary } from "@/api/shapes";
import { samplesQuery } from "@/api/trialQueries";
import { hasEnded } from "@/components/state/StateBadge";
import {
  type Connection,
  EMPTY_FEED,
  type Feed,
  type FeedMessage,
  pointsOf,
  reduceFeed,
  type SamplePoint,
} from "./feed";

/**
 * One campaign's live connection: server-sent events, a REST snapshot on every (re)connect, and at
 * most two notifications a second, however fast events come.
 *
 * The browser repeats a broken connection by itself and sends Last-Event-ID; it gives up only when
 * the server answers something else than a stream (a proxy's 502, a restart). Then this does it.
 */

/** The part of EventSource that is used, so that tests can replace it. */
export interface EventChannel {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: Event) => void): void;
  close(): void;
}

export interface StreamOptions {
  open: () => EventChannel;
  snapshot: () => Promise<Campaign>;
  /** The samples of a participant's trial so far: the stream has only those after its start. */
  history: (trialId: number, participantId: number) => Promise<SamplePoint[]>;
}

const REDRAW_MS = 500;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5_000;
/** After this long without an event, a snapshot is requested. */
const SILENCE_MS = 10_000;
const CLOSED = 2;

interface SamplesEvent {
  participant_id: number;
  trial_id: number;
  attempt: number;
  points: SamplePoint[];
}

export class CampaignStream {
  #feed: Feed = EMPTY_FEED;
  readonly #options: StreamOptions;
  readonly #listeners = new Set<() => void>();
  #channel: EventChannel | null = null;
  #shown: Feed = EMPTY_FEED;
  #lastRedraw = 0;
  #redraw: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** The current state; changes at most twice a second. */
  current = (): Feed => this.#shown;

  /** Connects with the first listener, disconnects with the last. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#channel === null) this.#connect();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#disconnect();
    };
  };

  /** Fetches the newest state from the API: after a cancel, or when the page is shown again. */
  refresh = async (): Promise<void> => {
    const campaign = await this.#options.snapshot();
    this.#take({ type: "campaign", campaign });
    if (hasEnded(campaign.state)) return this.#end();
    await Promise.all(campaign.runs.map((run) => this.#takeHistory(run)));
  };

  async #takeHistory({ current }: RunSummary): Promise<void> {
    if (!current) return;
    const { trial_id: trialId } = current;
    const begun = current.participants.filter(({ state }) => state !== "waiting");
    await Promise.all(
      begun.map(async ({ participant_id: participantId }) => {
        const points = await this.#options.history(trialId, participantId);
        this.#take({ type: "history", participantId, trialId, points });
      }),
    );
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#channel?.close();
    const channel = this.#options.open();
    this.#channel = channel;
    this.#heard();
    channel.addEventListener("open", () => {
      this.#retryMs = FIRST_RETRY_MS;
      this.#connection("live");
      this.refresh().catch(() => undefined); // the stream delivers the next state
    });
    channel.addEventListener("error", () => {
      if (this.#channel !== channel) return;
      this.#connection("reconnecting");
      if (channel.readyState !== CLOSED) return;
      this.#reconnectLater();
      this.#options.snapshot().catch((error) => this.#endIfDeleted(error));
    });
    channel.addEventListener("campaign", (event) => {
      this.#heard();
      const campaign = parse<Campaign>(event);
      this.#take({ type: "campaign", campaign });
      if (hasEnded(campaign.state)) this.#end();
    });
    channel.addEventListener("deleted", () => this.#end("deleted"));
    channel.addEventListener("samples", (event) => {
      this.#heard();
      const { participant_id, trial_id, attempt, points } = parse<SamplesEvent>(event);
      this.#take({
        type: "samples",
        participantId: participant_id,
        trialId: trial_id,
        attempt,
        points,
      });
    });
  }

  /** A connection can die silently: a proxy that holds it open, a laptop that slept. */
  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#ask(), SILENCE_MS);
  }

  async #ask(): Promise<void> {
    const channel = this.#channel;
    const seen = this.#feed.campaign?.revision;
    this.#heard();
    try {
      await this.refresh();
    } catch (error) {
      if (this.#endIfDeleted(error)) return;
      this.#connection("reconnecting");
    }
    if (this.#channel !== channel || this.#feed.connection === "ended") return;
    if (this.#feed.campaign?.revision !== seen || this.#feed.connection !== "live") {
      this.#connect();
    }
  }

  #reconnectLater(): void {
    this.#channel?.close();
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  /** An ended or deleted campaign needs no connection. */
  #end(how: "ended" | "deleted" = "ended"): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#connection(how);
    this.#channel?.close();
  }

  /** Whether a snapshot failed because the campaign was deleted. */
  #endIfDeleted(error: unknown): boolean {
    const isDeleted = asProblem(error).status === 404;
    if (isDeleted) this.#end("deleted");
    return isDeleted;
  }

  #disconnect(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    clearTimeout(this.#redraw);
    this.#redraw = undefined;
    this.#channel?.close();
    this.#channel = null;
  }

  #connection(connection: Connection): void {
    this.#take({ type: "connection", connection });
  }

  #take(message: FeedMessage): void {
    const next = reduceFeed(this.#feed, message);
    if (next === this.#feed) return;
    this.#feed = next;
    if (this.#redraw !== undefined || this.#listeners.size === 0) return;
    const wait = Math.max(0, this.#lastRedraw + REDRAW_MS - Date.now());
    this.#redraw = setTimeout(() => this.#show(), wait);
  }

  #show(): void {
    this.#redraw = undefined;
    this.#lastRedraw = Date.now();
    this.#shown = this.#feed;
    for (const listener of this.#listeners) listener();
  }
}

function parse<T>(event: Event): T {
  return JSON.parse((event as MessageEvent<string>).data) as T;
}

/** A campaign's live feed; the query's cache follows it, so that other pages have the newest state. */
export function useCampaignStream(id: number): { feed: Feed; refresh: () => Promise<void> } {
  const client = useQueryClient();
  const stream = useMemo(
    () =>
      new CampaignStream({
        open: () => new EventSource(`/api/v1/campaigns/${id}/stream`),
        snapshot: () => client.fetchQuery({ ...campaignQuery(id), staleTime: 0 }),
        history: async (trialId, participant) =>
          pointsOf(
            await client.fetchQuery({ ...samplesQuery(trialId, { participant }), staleTime: 0 }),
          ),
      }),
    [client, id],
  );
  const feed = useSyncExternalStore(stream.subscribe, stream.current);
  const { campaign } = feed;
  useEffect(() => {
    if (campaign) client.setQueryData(campaignQuery(campaign.id).queryKey, campaign);
  }, [client, campaign]);
  return { feed, refresh: stream.refresh };
}
