import type { Host } from "@/api/shapes";

export type StepState = "closed" | "open" | "held";

/**
 * The states of the four steps: reach it, log in, look around, choose a target. Each opens when the
 * one before holds. The check that logs in also looks around, so those two hold together, unless
 * the login worked and the inventory did not.
 */
export function stepStates(host: Host | undefined): [StepState, StepState, StepState, StepState] {
  if (!host) return ["open", "closed", "closed", "closed"];
  if (host.state === "ready") return ["held", "held", "held", "open"];
  const reached = host.connection === "local" || (host.host_key !== null && !keyInDoubt(host));
  if (!reached) return ["open", "closed", "closed", "closed"];
  const loggedIn = host.connection === "local" || host.last_seen_at !== null;
  return loggedIn ? ["held", "held", "open", "closed"] : ["held", "open", "closed", "closed"];
}

const keyInDoubt = ({ state }: Host): boolean =>
  state === "key_unapproved" || state === "key_changed";
