/**
 * The states of runs, campaigns, hosts, issues and services: the shape, color and label of each,
 * and whether a run or campaign has started or ended.
 */
import type { RunState } from "@/api/shapes";

export type Shape = "disc" | "cross" | "diamond" | "slash" | "triangle" | "half" | "ring" | "gap";

type Look = { shape: Shape; color: string; label: string };

const LOOKS: Record<string, Look> = {
  // runs and campaigns
  queued: { shape: "ring", color: "--ink-2", label: "queued" },
  preparing: { shape: "half", color: "--running", label: "preparing" },
  running: { shape: "triangle", color: "--running", label: "running" },
  finishing: { shape: "half", color: "--running", label: "finishing" },
  done: { shape: "disc", color: "--pass", label: "done" },
  failed: { shape: "cross", color: "--fail", label: "failed" },
  cancelled: { shape: "slash", color: "--waived", label: "canceled" },
  lost: { shape: "gap", color: "--lost", label: "lost" },
  // verdicts
  pass: { shape: "disc", color: "--pass", label: "pass" },
  fail: { shape: "cross", color: "--fail", label: "fail" },
  inconclusive: { shape: "diamond", color: "--inconclusive", label: "inconclusive" },
  waived: { shape: "slash", color: "--waived", label: "waived" },
  // hosts
  new: { shape: "ring", color: "--ink-2", label: "not checked" },
  key_unapproved: { shape: "diamond", color: "--inconclusive", label: "approve host key" },
  key_changed: { shape: "cross", color: "--fail", label: "key changed" },
  ready: { shape: "disc", color: "--pass", label: "ready" },
  unreachable: { shape: "gap", color: "--lost", label: "unreachable" },
  error: { shape: "cross", color: "--fail", label: "check failed" },
  deleting: { shape: "slash", color: "--waived", label: "deleting" },
  // issues
  disk_full: { shape: "cross", color: "--fail", label: "disk space" },
  database: { shape: "cross", color: "--fail", label: "database" },
  host_key: { shape: "diamond", color: "--inconclusive", label: "approve host key" },
  host: { shape: "gap", color: "--lost", label: "host problem" },
  run_lost: { shape: "gap", color: "--lost", label: "run lost" },
  verdict_failed: { shape: "cross", color: "--fail", label: "failed verdict" },
  no_worker: { shape: "cross", color: "--fail", label: "no worker" },
  webhook: { shape: "slash", color: "--fail", label: "webhook disabled" },
  schedule: { shape: "gap", color: "--lost", label: "schedule" },
  // schedules and what became of their fire times
  active: { shape: "disc", color: "--pass", label: "active" },
  paused: { shape: "slash", color: "--waived", label: "paused" },
  launched: { shape: "disc", color: "--pass", label: "launched" },
  refused: { shape: "cross", color: "--fail", label: "refused" },
  missed: { shape: "gap", color: "--lost", label: "missed" },
  skipped: { shape: "slash", color: "--waived", label: "skipped" },
  // services
  ok: { shape: "disc", color: "--pass", label: "ok" },
  degraded: { shape: "gap", color: "--lost", label: "degraded" },
};

/** The appearance of a state; an unknown state is shown by its name. */
export const lookOf = (state: string): Look =>
  LOOKS[state] ?? { shape: "ring", color: "--ink-2", label: state.replaceAll("_", " ") };

const ENDED: ReadonlySet<RunState> = new Set(["done", "failed", "cancelled"]);

/** Whether a run or campaign has ended. */
export const hasEnded = (state: RunState): boolean => ENDED.has(state);

/** Whether a run waits for its first trial: it is queued or being prepared. */
export const isBeforeFirstTrial = (state: RunState): boolean =>
  state === "queued" || state === "preparing";
