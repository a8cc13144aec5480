import { useNavigate } from "@tanstack/react-router";

/** Opens the result of a run with the detail that its kind's search parameters name. */
export function useOpenResult(runId: number) {
  const navigate = useNavigate();
  return (detail: Record<string, string>) =>
    navigate({ to: "/runs/$id", params: { id: runId }, search: detail as object });
}
