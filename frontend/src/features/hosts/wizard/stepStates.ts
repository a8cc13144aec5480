import type { Host } from "@/api/shapes";

export type StepState = "closed" | "open" | "held";

/** The check's own steps, by the step of the page at which it fails. */
const REACHING = new Set<string | null | undefined>([undefined, null, "resolve", "key"]);
const LOGGING_IN = new Set<string | null | undefined>([...REACHING, "login"]);

/**
 * The states of the four steps: reach it, log in, look around, choose a target. Each opens when the
 * one before holds, as the newest check found it: a login that worked once does not hold when the
 * next one fails.
 */
export function stepStates(host: Host | undefined): [StepState, StepState, StepState, StepState] {
  if (!host) return ["open", "closed", "closed", "closed"];
  if (host.state === "ready") return ["held", "held", "held", "open"];
  if (host.connection === "local") return ["held", "held", "open", "closed"];
  if (!isReached(host)) return ["open", "closed", "closed", "closed"];
  return isLoggedIn(host)
    ? ["held", "held", "open", "closed"]
    : ["held", "open", "closed", "closed"];
}

function isReached({ state, host_key, check }: Host): boolean {
  if (host_key === null || state === "key_unapproved" || state === "key_changed") return false;
  return state !== "unreachable" || !REACHING.has(check?.step);
}

function isLoggedIn({ check, last_seen_at }: Host): boolean {
  if (!check || check.state === "ok") return last_seen_at !== null;
  return !LOGGING_IN.has(check.step);
}
