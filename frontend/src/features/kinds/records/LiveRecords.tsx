import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { resultQuery } from "@/api/queries";
import type { Result, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { useRateUnit } from "@/components/quantities";
import { hasEnded } from "@/components/state/states";
import { lengthWords } from "./headline";
import { CellTable } from "./result/CellTable";
import { asRecords, type RecordsParameters } from "./shapes";

/** How far a run is, and the record lengths that it has measured. */
export function LiveRecords({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  // The key has what the table depends on: it is fetched again only when a trial has ended.
  const records = useQuery({
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
      <Resolved query={records} what="record lengths" rows={4}>
        {(loaded: Result) => <CellTable records={asRecords(loaded)} unit={unit} />}
      </Resolved>
    </div>
  );
}

/** The trial, and what it measures. */
function Progress({ run: { current, trials_done, trials_total } }: { run: RunSummary }) {
  const parts = [`Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`];
  if (current) parts.push(lengthWords((current.parameters as RecordsParameters).record_bytes));
  return <p>{parts.join("; ")}</p>;
}
