import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { resultQuery } from "@/api/queries";
import type { Result, RunSummary } from "@/api/shapes";
import { Loading } from "@/components/feedback/Loading";
import { Resolved } from "@/components/feedback/Resolved";
import { useRateUnit } from "@/components/quantities";
import { cellOf, readingFor } from "./reading";
import { asMatrix } from "./shapes";

const MatrixHeatmap = lazy(async () => ({
  default: (await import("./MatrixHeatmap")).MatrixHeatmap,
}));

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
  const rows = compact ? 6 : 14;
  return (
    <Resolved query={matrix} what="matrix" rows={rows}>
      {(loaded: Result) => (
        <Suspense fallback={<Loading what="matrix" rows={rows} />}>
          <MatrixHeatmap
            matrix={asMatrix(loaded)}
            reading={readingFor({}, asMatrix(loaded).rates, unit)}
            running={cellOf(run.current)}
            compact={compact}
          />
        </Suspense>
      )}
    </Resolved>
  );
}
