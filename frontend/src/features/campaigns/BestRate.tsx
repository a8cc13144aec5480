import type { RunSummary } from "@/api/shapes";
import { Rate, shortLevels, useRateUnit } from "@/components/quantities";

type Props = { run: Pick<RunSummary, "best_bytes_per_s" | "headline_levels"> };

/** The best rate of a run; for a cell with a cliff both levels, since its mean was never reached. */
export function BestRate({ run }: Props) {
  const { unit } = useRateUnit();
  if (run.headline_levels) return <>{shortLevels(run.headline_levels, unit)}</>;
  return <Rate bytesPerS={run.best_bytes_per_s} />;
}
