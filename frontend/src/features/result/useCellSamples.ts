import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { samplesQuery } from "@/api/queries";
import type { MatrixCell } from "@/api/shapes";

/**
 * The samples of one cell's trials, fetched only when the cell is looked at. The picture of the
 * cell before stays until the new one is here.
 */
export function useCellSamples(cell: MatrixCell | null) {
  const client = useQueryClient();
  const trials = cell?.trials.filter((trial) => MEASURED.has(trial.status)) ?? [];
  const ids = trials.map((trial) => trial.id);
  return useQuery({
    queryKey: ["trials", "of-cell", ids],
    queryFn: () =>
      Promise.all(
        trials.map(async (trial) => ({
          repeat: trial.repeat,
          samples: await client.ensureQueryData(samplesQuery(trial.id)),
        })),
      ),
    enabled: ids.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}

/** Statuses of trials that have samples worth drawing. */
const MEASURED = new Set(["complete", "timed_out", "stopped", "failed", "done", "running"]);
