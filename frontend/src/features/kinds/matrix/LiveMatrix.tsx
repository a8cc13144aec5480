import { lazy, Suspense } from "react";
import type { Result, RunSummary } from "@/api/shapes";
import { Loading, Resolved } from "@/components/feedback/Resolved";
import { useRateUnit } from "@/components/quantities";
import { useLiveResult, useOpenResult } from "@/features/kinds/LiveResult";
import { asMatrix, cellOf, readingFor } from "./matrix";

const MatrixHeatmap = lazy(async () => ({
  default: (await import("./MatrixHeatmap")).MatrixHeatmap,
}));

/** A run's partial matrix, with the cell being measured; a selected cell opens in the result. */
export function LiveMatrix({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  const openResult = useOpenResult(run.id);
  const matrix = useLiveResult(run);
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
            onSelect={compact ? undefined : (cell) => openResult({ cell })}
          />
        </Suspense>
      )}
    </Resolved>
  );
}
