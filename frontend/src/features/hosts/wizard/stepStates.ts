import type { Host } from "@/api/shapes";

export type StepState = "closed" | "open" | "held";

/** The check's steps that belong to each step of the wizard. */
const REACHING = new Set<string | null | undefined>([
  undefined,
  null,
  "resolve",
  "jump host",
  "key",
]);
const LOGGING_IN = new Set<string | null | undefined>([...REACHING, "login"]);

/**
 * Return the states of the four steps: connect, log in, inspect host, add targets. Each opens when
 * the previous one is complete according to the latest check: an earlier login does not count when
 * the latest one failed.
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

function isReached({ state, host_key, host_authority, check }: Host): boolean {
  const isTrusted = host_key !== null || (host_authority ?? null) !== null;
  if (!isTrusted || state === "key_unapproved" || state === "key_changed") return false;
  return state !== "unreachable" || !REACHING.has(check?.step);
}

function isLoggedIn({ check, last_seen_at }: Host): boolean {
  if (!check || check.state === "ok") return last_seen_at !== null;
  return !LOGGING_IN.has(check.step);
}
