/**
 * The states of runs, campaigns, hosts, issues and services: the shape, color and label of each,
 * and whether a run or campaign has started or ended.
 */

import type { RunState } from "@/api/shapes";
import classes from "./StateBadge.module.css";

interface StateBadgeProps {
  state: string;
  word?: string;
  /** A condition such as "lost", shown in addition to the state. */
  condition?: string | null;
}

/** A state as color, shape and word, so that none of them is needed alone. */
export function StateBadge({ state, word, condition }: StateBadgeProps) {
  if (condition) {
    return (
      <span className={classes.pair}>
        <StateBadge state={state} word={word} />
        <StateBadge state={condition} />
      </span>
    );
  }
  const { shape, color, label } = lookOf(state);
  return (
    <span className={classes.badge} style={{ color: `var(${color})` }} data-state={state}>
      <StateShape shape={shape} />
      {word ?? label}
    </span>
  );
}

/** What became of a run or a campaign: the verdict leads, and "done" says little beside it. */
export function OutcomeBadge({
  outcome,
  ...of
}: StateBadgeProps & { outcome: string | null | undefined }) {
  if (!outcome) return <StateBadge {...of} />;
  return (
    <span className={classes.pair}>
      <StateBadge state={outcome} />
      {of.state === "done" && !of.condition ? (
        <span className={`unfolded ${classes.quiet}`}>{lookOf(of.state).label}</span>
      ) : (
        <StateBadge {...of} />
      )}
    </span>
  );
}

/** The shape alone, next to text that names the state. */
export function StateShape({ shape }: { shape: Shape }) {
  return (
    <svg className={classes.shape} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {drawing[shape]}
    </svg>
  );
}

const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.6 };
const solid = { fill: "currentColor" };

const drawing: Record<Shape, React.ReactNode> = {
  disc: (
    <>
      <circle cx="6" cy="6" r="5.5" {...solid} />
      <path d="M3.4 6.2 5.3 8.1 8.7 4.2" fill="none" stroke="var(--paper)" strokeWidth="1.6" />
    </>
  ),
  cross: (
    <>
      <rect x="0.5" y="0.5" width="11" height="11" {...solid} />
      <path d="M3.6 3.6 8.4 8.4M8.4 3.6 3.6 8.4" stroke="var(--paper)" strokeWidth="1.6" />
    </>
  ),
  diamond: <path d="M6 .8 11.2 6 6 11.2.8 6Z" {...line} />,
  slash: (
    <>
      <circle cx="6" cy="6" r="5" {...line} />
      <path d="M2.6 9.4 9.4 2.6" {...line} />
    </>
  ),
  triangle: <path d="M2 .8 11 6 2 11.2Z" {...solid} className={classes.live} />,
  half: (
    <>
      <circle cx="6" cy="6" r="5" {...line} />
      <path d="M6 1a5 5 0 0 1 0 10Z" {...solid} />
    </>
  ),
  ring: <circle cx="6" cy="6" r="5" {...line} strokeDasharray="3.1 2.1" />,
  gap: (
    <>
      <path d="M6 1 11.3 10.8H.7Z" {...line} />
      <path d="M6 4.4v3M6 8.4v1.2" {...line} strokeWidth="1.4" />
    </>
  ),
};

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
  run_failed: { shape: "cross", color: "--fail", label: "failed run" },
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
  // arrays
  idle: { shape: "ring", color: "--ink-2", label: "idle" },
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
