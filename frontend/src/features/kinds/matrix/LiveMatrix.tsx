import { lazy, Suspense } from "react";
import type { Result, RunSummary } from "@/api/shapes";
import { Loading } from "@/components/feedback/Loading";
import { Resolved } from "@/components/feedback/Resolved";
import { useRateUnit } from "@/components/quantities";
import { useLiveResult } from "@/features/kinds/useLiveResult";
import { cellOf, readingFor } from "./reading";
import { asMatrix } from "./shapes";

const MatrixHeatmap = lazy(async () => ({
  default: (await import("./MatrixHeatmap")).MatrixHeatmap,
}));

/** A run's partial matrix, with the cell that is being measured. */
export function LiveMatrix({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
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
          />
        </Suspense>
      )}
    </Resolved>
  );
}
