import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { resultQuery } from "@/api/queries";
import type { Result, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { hasEnded } from "@/components/state/StateBadge";

type Current = NonNullable<RunSummary["current"]>;

interface LiveResultProps {
  run: RunSummary;
  compact: boolean | undefined;
  /** What is being loaded, and the rows that it takes. */
  what: string;
  rows: number;
  /** What the current trial measures, and how far it is. */
  describe(current: Current): string[];
  children(result: Result): ReactNode;
}

/** How far a run is and, unless `compact`, what it has measured. */
export function LiveResult({ run, compact, what, rows, describe, children }: LiveResultProps) {
  const result = useLiveResult(run, !compact);
  const { current, trials_done, trials_total } = run;
  const trial = `Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`;
  const progress = <p>{[trial, ...(current ? describe(current) : [])].join("; ")}</p>;
  if (compact) return progress;
  return (
    <div>
      {hasEnded(run.state) ? null : progress}
      <Resolved query={result} what={what} rows={rows}>
        {children}
      </Resolved>
    </div>
  );
}

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

/** Opens the result of a run with the detail that its kind's search parameters name. */
export function useOpenResult(runId: number) {
  const navigate = useNavigate();
  return (detail: Record<string, string>) =>
    navigate({ to: "/runs/$id", params: { id: runId }, search: detail as object });
}
