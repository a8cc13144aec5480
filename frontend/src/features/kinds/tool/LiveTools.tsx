import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { resultQuery } from "@/api/queries";
import type { Result, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { useRateUnit } from "@/components/quantities";
import { hasEnded } from "@/components/state/states";
import { trialWords } from "./headline";
import { ToolTable } from "./result/ToolTable";
import { asTools, type ToolParameters } from "./shapes";

/** How far a run is, and the tools that it has measured. */
export function LiveTools({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  // The key has what the table depends on: it is fetched again only when a trial has ended.
  const tools = useQuery({
    ...resultQuery(run.id),
    queryKey: [...resultQuery(run.id).queryKey, run.trials_done, run.state],
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: !compact,
  });
  if (compact) return <Progress run={run} />;
  return (
    <div>
      {hasEnded(run.state) ? null : <Progress run={run} />}
      <Resolved query={tools} what="tools" rows={4}>
        {(loaded: Result) => <ToolTable tools={asTools(loaded)} unit={unit} />}
      </Resolved>
    </div>
  );
}

/** The trial, and what it measures. */
function Progress({ run: { current, trials_done, trials_total } }: { run: RunSummary }) {
  const parts = [`Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`];
  if (current) parts.push(trialWords(current.parameters as ToolParameters));
  return <p>{parts.join("; ")}</p>;
}
