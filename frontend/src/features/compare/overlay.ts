import type { MatrixCell } from "@/api/shapes";
import type { Reading } from "@/features/matrix/reading";

type TrialResult = MatrixCell["trials"][number];

/** The trial that stands for a cell in an overlay: the one nearest to the cell's median. */
export function typicalTrial(cell: MatrixCell, { rate }: Reading): TrialResult | null {
  const bps = (trial: TrialResult) =>
    rate === "durable" ? trial.durable_bps : trial.application_bps;
  const median = cell[rate]?.median;
  if (median === undefined) return null;
  let nearest: TrialResult | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const trial of cell.trials) {
    const away = Math.abs((bps(trial) ?? Number.POSITIVE_INFINITY) - median);
    if (away < distance) [nearest, distance] = [trial, away];
  }
  return nearest;
}
