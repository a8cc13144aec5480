import type { Reading } from "@/features/kinds/matrix/reading";
import type { MatrixCell } from "@/features/kinds/matrix/shapes";

type TrialResult = MatrixCell["trials"][number];

/** The trial that stands for a cell in an overlay: the one nearest to the cell's median. */
export function typicalTrial(cell: MatrixCell, { rate }: Reading): TrialResult | null {
  const bytesPerS = (trial: TrialResult) =>
    rate === "durable" ? trial.durable_bytes_per_s : trial.application_bytes_per_s;
  const median = cell[rate]?.median_bytes_per_s;
  if (median === undefined) return null;
  let nearest: TrialResult | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const trial of cell.trials) {
    const away = Math.abs((bytesPerS(trial) ?? Number.POSITIVE_INFINITY) - median);
    if (away < distance) [nearest, distance] = [trial, away];
  }
  return nearest;
}
