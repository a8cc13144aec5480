import type { Campaign, Samples } from "@/api/shapes";
import { SYNC } from "@/features/samples/series";

/**
 * The state of the campaign page, and how each message changes it. The snapshot (REST) and the
 * stream may arrive out of order: the higher revision wins, and a sample counts once however often
 * it arrives.
 */

/**
 * End, length, bytes, operations, longest latency, oldest operation in flight, bytes that the device
 * took, phase; times in ns.
 */
export type SamplePoint = readonly [
  endNs: number,
  dtNs: number,
  bytes: number,
  ops: number | null,
  latMaxNs: number,
  oldestNs: number,
  deviceBytes: number | null,
  phase: number,
];

/** Whether a participant is in its final sync: all its data is written. */
export const isInSync = ({ points }: { points: readonly SamplePoint[] | undefined }): boolean =>
  points?.at(-1)?.[7] === SYNC;

/** A participant's current trial, with the samples received so far. */
export interface LiveTrial {
  participantId: number;
  trialId: number;
  /** A repetition replaces the samples of the previous attempt. */
  attempt: number;
  points: SamplePoint[];
}

export type Connection = "connecting" | "live" | "reconnecting" | "ended" | "deleted";

export interface Feed {
  campaign: Campaign | null;
  connection: Connection;
  /** By participant id. */
  live: ReadonlyMap<number, LiveTrial>;
}

export type FeedMessage =
  | { type: "connection"; connection: Connection }
  | { type: "campaign"; campaign: Campaign }
  | {
      type: "samples";
      participantId: number;
      trialId: number;
      attempt: number;
      points: readonly SamplePoint[];
    }
  | { type: "history"; participantId: number; trialId: number; points: readonly SamplePoint[] };

export const EMPTY_FEED: Feed = { campaign: null, connection: "connecting", live: new Map() };

/** A strip shows the newest samples of a trial; more would slow down long runs. */
export const POINTS_KEPT = 600;

export function reduceFeed(feed: Feed, message: FeedMessage): Feed {
  switch (message.type) {
    case "connection":
      return feed.connection === message.connection
        ? feed
        : { ...feed, connection: message.connection };
    case "campaign":
      return feed.campaign !== null && message.campaign.revision < feed.campaign.revision
        ? feed
        : { ...feed, campaign: message.campaign };
    case "samples":
      return withTrial(feed, message.participantId, (before) =>
        addPoints(before, message, message.attempt),
      );
    case "history": {
      const run = feed.campaign?.runs.find(({ participants }) =>
        participants.some(({ id }) => id === message.participantId),
      );
      if (run?.current?.trial_id !== message.trialId) return feed; // it arrived too late
      return withTrial(feed, message.participantId, (before) =>
        putHistory(before, message, run.current?.attempt ?? 1),
      );
    }
  }
}

function withTrial(
  feed: Feed,
  participantId: number,
  change: (before: LiveTrial | undefined) => LiveTrial | undefined,
): Feed {
  const before = feed.live.get(participantId);
  const after = change(before);
  if (after === undefined || after === before) return feed;
  return { ...feed, live: new Map(feed.live).set(participantId, after) };
}

const isOf = (live: LiveTrial | undefined, trialId: number, attempt: number): live is LiveTrial =>
  live?.trialId === trialId && live.attempt === attempt;

/** New points of a participant's trial. */
interface Points {
  participantId: number;
  trialId: number;
  points: readonly SamplePoint[];
}

/** The live trial with new points; a later trial or attempt replaces an earlier one's. */
function addPoints(
  before: LiveTrial | undefined,
  { participantId, trialId, points }: Points,
  attempt: number,
): LiveTrial {
  if (!isOf(before, trialId, attempt)) {
    return { participantId, trialId, attempt, points: points.slice(-POINTS_KEPT) };
  }
  const last = before.points.at(-1)?.[0] ?? -1;
  const fresh = points.filter(([endNs]) => endNs > last);
  if (fresh.length === 0) return before;
  return { ...before, points: [...before.points, ...fresh].slice(-POINTS_KEPT) };
}

/** The samples of the trial from the API, followed by later ones from the stream. */
function putHistory(
  before: LiveTrial | undefined,
  { participantId, trialId, points }: Points,
  attempt: number,
): LiveTrial | undefined {
  const last = points.at(-1)?.[0];
  if (last === undefined) return before;
  const since = isOf(before, trialId, attempt)
    ? before.points.filter(([endNs]) => endNs > last)
    : [];
  const kept = [...points, ...since].slice(-POINTS_KEPT);
  return { participantId, trialId, attempt, points: kept };
}

/** A trial's stored series in the stream's form; the number of operations is not part of it. */
export function pointsOf(samples: Samples): SamplePoint[] {
  const at = (column: string, index: number) => samples.columns[column]?.[index] ?? 0;
  return (samples.columns.t_ns ?? []).map((endNs, index) => {
    const dtNs = at("dt_ns", index);
    const bytes = (at("rate_mean_bytes_per_s", index) * dtNs) / 1e9;
    const device = samples.columns.dev_write_bytes_per_s?.[index] ?? null;
    return [
      endNs ?? 0,
      dtNs,
      bytes,
      null,
      at("lat_max_ns", index),
      at("oldest_ns", index),
      device === null ? null : (device * dtNs) / 1e9,
      at("phase", index),
    ];
  });
}
