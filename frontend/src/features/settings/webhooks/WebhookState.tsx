import { StateBadge } from "@/components/state/StateBadge";

/** The state with the same look, which every page knows. */
const LIKE = { enabled: "ok", disabled: "cancelled", pending: "queued", delivered: "done" };

/** The state of a webhook or of a delivery. */
export function WebhookState({ state }: { state: keyof typeof LIKE | "failed" }) {
  return state === "failed" ? (
    <StateBadge state={state} />
  ) : (
    <StateBadge state={LIKE[state]} word={state} />
  );
}
