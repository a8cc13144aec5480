/** Which colour, shape and word each state has. */

export type Shape = "disc" | "cross" | "diamond" | "slash" | "triangle" | "half" | "ring" | "gap";

type Look = { shape: Shape; colour: string; label: string };

const LOOKS: Record<string, Look> = {
  // runs and campaigns
  queued: { shape: "ring", colour: "--ink-2", label: "queued" },
  preparing: { shape: "half", colour: "--running", label: "preparing" },
  running: { shape: "triangle", colour: "--running", label: "running" },
  finishing: { shape: "half", colour: "--running", label: "finishing" },
  done: { shape: "disc", colour: "--pass", label: "done" },
  failed: { shape: "cross", colour: "--fail", label: "failed" },
  cancelled: { shape: "slash", colour: "--waived", label: "cancelled" },
  lost: { shape: "gap", colour: "--lost", label: "lost" },
  // verdicts
  pass: { shape: "disc", colour: "--pass", label: "pass" },
  fail: { shape: "cross", colour: "--fail", label: "fail" },
  inconclusive: { shape: "diamond", colour: "--inconclusive", label: "inconclusive" },
  waived: { shape: "slash", colour: "--waived", label: "waived" },
  // hosts
  new: { shape: "ring", colour: "--ink-2", label: "not checked yet" },
  key_unapproved: { shape: "diamond", colour: "--inconclusive", label: "key to approve" },
  key_changed: { shape: "cross", colour: "--fail", label: "key changed" },
  ready: { shape: "disc", colour: "--pass", label: "ready" },
  unreachable: { shape: "gap", colour: "--lost", label: "unreachable" },
  error: { shape: "cross", colour: "--fail", label: "check failed" },
  deleting: { shape: "slash", colour: "--waived", label: "being deleted" },
  // what needs a person
  disk_full: { shape: "cross", colour: "--fail", label: "disk space" },
  database: { shape: "cross", colour: "--fail", label: "database" },
  host_key: { shape: "diamond", colour: "--inconclusive", label: "key to approve" },
  host: { shape: "gap", colour: "--lost", label: "host in trouble" },
  run_lost: { shape: "gap", colour: "--lost", label: "run lost" },
  no_worker: { shape: "cross", colour: "--fail", label: "no worker" },
  // services
  ok: { shape: "disc", colour: "--pass", label: "ok" },
  degraded: { shape: "gap", colour: "--lost", label: "degraded" },
};

/** The look of a state; an unknown one is shown by its own word, never hidden. */
export const shapeOf = (state: string): Look =>
  LOOKS[state] ?? { shape: "ring", colour: "--ink-2", label: state.replaceAll("_", " ") };
