import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { resultQuery } from "@/api/queries";
import type { RunSummary } from "@/api/shapes";

/** What a run has measured so far; fetched again only when a trial has ended. */
export function useLiveResult(run: RunSummary, enabled = true) {
  const query = resultQuery(run.id);
  return useQuery({
    ...query,
    queryKey: [...query.queryKey, run.trials_done, run.state],
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
}
