import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { matrixQuery } from "@/api/queries";
import type { Matrix, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { formatRate, useRateUnit } from "@/components/quantities";
import { MatrixHeatmap } from "@/features/matrix/MatrixHeatmap";
import { placeWords } from "@/features/matrix/matrixGrid";
import { readingFor } from "@/features/matrix/reading";
import type { LiveTrial, SamplePoint } from "./feed";
import classes from "./LiveRun.module.css";
import { LiveStrip } from "./LiveStrip";

const NO_POINTS: readonly SamplePoint[] = [];

/** A run unfolded: its matrix as far as it is filled, and the trial that runs now. */
export function LiveRun({ run, live }: { run: RunSummary; live: LiveTrial | null }) {
  const { unit } = useRateUnit();
  // What the matrix depends on is in the key: it is fetched again when a trial has ended, no oftener.
  const matrix = useQuery({
    ...matrixQuery(run.id),
    queryKey: [...matrixQuery(run.id).queryKey, run.trials_done, run.state],
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { current } = run;
  return (
    <div className={classes.live}>
      <Resolved query={matrix} what="matrix" rows={6}>
        {(loaded: Matrix) => (
          <MatrixHeatmap
            matrix={loaded}
            reading={readingFor({}, loaded.rates, unit)}
            running={current}
          />
        )}
      </Resolved>
      {current ? (
        <div className={classes.trial}>
          <p className={classes.words}>
            {placeWords(current)}, repeat {current.repeat}
            {current.total_bytes
              ? `: ${percentOf(current.bytes, current.total_bytes)}\u00a0% ${run.kind === "read" ? "read" : "written"}`
              : null}
            {current.rate_bps === null ? null : `, now ${formatRate(current.rate_bps, unit)}`}
          </p>
          {/* The strip keeps the trial before until the new one's first sample is here. */}
          <LiveStrip
            trialId={live?.trialId ?? current.trial_id}
            points={live?.points ?? NO_POINTS}
            unit={unit}
          />
        </div>
      ) : null}
    </div>
  );
}

const percentOf = (part: number, whole: number): number =>
  Math.min(100, Math.floor((part / whole) * 100));
