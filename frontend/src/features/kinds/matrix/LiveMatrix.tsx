import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { resultQuery } from "@/api/queries";
import type { Result, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { useRateUnit } from "@/components/quantities";
import { MatrixHeatmap } from "./MatrixHeatmap";
import { cellOf, readingFor } from "./reading";
import { asMatrix } from "./shapes";

/** A run's partial matrix, with the cell that is being measured. */
export function LiveMatrix({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  // The key has what the matrix depends on: it is fetched again only when a trial has ended.
  const matrix = useQuery({
    ...resultQuery(run.id),
    queryKey: [...resultQuery(run.id).queryKey, run.trials_done, run.state],
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Resolved query={matrix} what="matrix" rows={compact ? 6 : 14}>
      {(loaded: Result) => (
        <MatrixHeatmap
          matrix={asMatrix(loaded)}
          reading={readingFor({}, asMatrix(loaded).rates, unit)}
          running={cellOf(run.current)}
          compact={compact}
        />
      )}
    </Resolved>
  );
}
