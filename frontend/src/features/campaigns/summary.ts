import type { Campaign, RunSummary } from "@/api/shapes";

/** What a run does, by the role of its participants; rates of different ones are not comparable. */
const WORDS: Record<string, { noun: string; done: string }> = {
  writer: { noun: "write", done: "written" },
  reader: { noun: "read", done: "read" },
  sender: { noun: "transfer", done: "transferred" },
};
const WRITE = { noun: "write", done: "written" };

/** "transfer", and what it has done with data: "transferred". */
export const wordsOf = (run: Participants): { noun: string; done: string } =>
  WORDS[roleOf(run)] ?? WRITE;

/** Where a campaign runs: "web-1 /mnt/a" or "3 targets on 2 hosts". */
export function placesOf({ runs }: Pick<Campaign, "runs">): string {
  const parts = runs.flatMap(({ participants }) => participants);
  const [first] = runs;
  if (first && parts.some(isSender)) {
    const routes = new Set(runs.map(routeOf));
    return routes.size === 1 ? routeOf(first) : `${routes.size} routes`;
  }
  const targets = new Map(parts.map((part) => [part.target?.id, part]));
  const [only] = targets.values();
  if (!only) return "–";
  if (targets.size === 1) return `${only.host.name} ${only.target?.path ?? ""}`;
  const hosts = new Set(parts.map(({ host }) => host.id)).size;
  return `${targets.size} targets on ${hosts} ${hosts === 1 ? "host" : "hosts"}`;
}

/** Trials done and in total, in one line: "12 / 32". */
export function trialsOf({ runs }: Pick<Campaign, "runs">): string {
  const sum = (pick: (run: Campaign["runs"][number]) => number) =>
    runs.reduce((total, run) => total + pick(run), 0);
  return `${sum((run) => run.trials_done)}\u00a0/\u00a0${sum((run) => run.trials_total)}`;
}

/** The run with the best rate of each role, because writes, reads and transfers are not comparable. */
export function bestOf({ runs }: Pick<Campaign, "runs">): RunSummary[] {
  return Object.keys(WORDS).flatMap((role) => {
    const rated = runs.filter((run) => roleOf(run) === role && run.best_bytes_per_s !== null);
    const rate = (run: RunSummary) => run.best_bytes_per_s ?? 0;
    return rated.sort((a, b) => rate(b) - rate(a)).slice(0, 1);
  });
}

/** Duration from the start of the first run to the end, in seconds; null before the end. */
export function secondsOf({ started_at, ended_at }: Campaign): number | null {
  if (!started_at || !ended_at) return null;
  return (Date.parse(ended_at) - Date.parse(started_at)) / 1000;
}

/** The current trial of a run. */
export type Current = NonNullable<RunSummary["current"]>;

/** Whether all bytes of the trial have been written or read. */
export const hasMoved = ({ bytes, total_bytes }: Current): boolean =>
  total_bytes !== null && bytes >= total_bytes;

/** Whether the trial is in its final sync: no bytes move then, and no rate is shown. */
export const isSyncing = (run: Pick<RunSummary, "participants" | "current">): boolean =>
  roleOf(run) === "writer" && run.current !== null && hasMoved(run.current);

type Progressing = Pick<RunSummary, "trials_done" | "trials_total" | "current" | "eta_s">;

/**
 * The trials that a run has done, with the part of the current one: by its bytes or, where its
 * length is a duration, by the time left. A single trial of a day would otherwise show no progress.
 */
export function trialsDone(run: Progressing, now: Date): number {
  const { trials_done: done, trials_total: total, current, eta_s: left } = run;
  if (current === null) return done;
  const { bytes, total_bytes, started_at } = current;
  if (total_bytes) return done + Math.min(1, bytes / total_bytes);
  if (left === null || started_at === null) return done;
  const elapsed = Math.max(0, (now.getTime() - Date.parse(started_at)) / 1000);
  // all remaining trials take as long: left = (remaining − share) × length, elapsed = share × length
  const share = elapsed + left > 0 ? ((total - done) * elapsed) / (elapsed + left) : 0;
  return done + Math.min(1, share);
}

type Participants = Pick<RunSummary, "participants">;

/** The role of a run's participants; a transfer's is that of its senders. */
export const roleOf = ({ participants }: Participants): string =>
  (participants.find(isSender) ?? participants[0])?.role ?? "writer";

type Participant = RunSummary["participants"][number];

const isSender = ({ role }: Pick<Participant, "role">): boolean => role === "sender";

/** What participants have, once each: "web-1 + web-2"; of a transfer, "web-1 → web-2". */
function named({ participants }: Participants, nameOf: (one: Participant) => string): string {
  const several = (of: readonly Participant[]) => [...new Set(of.map(nameOf))].join(" + ");
  const senders = participants.filter(isSender);
  if (senders.length === 0) return several(participants);
  const receivers = participants.filter((one) => !isSender(one));
  return `${several(senders)} → ${several(receivers)}`;
}

/** The hosts of a run: "web-1"; "web-1 + web-2" when they run together, "web-1 → web-2" if data passes. */
export const hostsOf = (run: Participants): string => named(run, ({ host }) => host.name);

/** What a run measures on its hosts: the targets' directories; without a target, memory. */
export const placeOf = (run: Participants): string =>
  named(run, ({ target }) => target?.path ?? "memory");

/** "web-1 /mnt/a → web-2 memory" */
const routeOf = (run: Participants): string =>
  named(run, ({ host, target }) => `${host.name} ${target?.path ?? "memory"}`);

/** Where a run measures, in one line: "web-1 + web-2 /mnt/a"; of a transfer, its route. */
export const whereOf = (run: Participants): string =>
  run.participants.some(isSender) ? routeOf(run) : `${hostsOf(run)} ${placeOf(run)}`;

/** What a run's probes do while nothing is measured, or null. */
export const activityOf = ({ participants }: Participants): string | null =>
  participants.find(({ activity }) => activity)?.activity ?? null;
