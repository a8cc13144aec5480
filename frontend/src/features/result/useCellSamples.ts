import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { samplesQuery } from "@/api/queries";
import type { MatrixCell } from "@/api/shapes";

/**
 * The samples of one cell's trials, fetched only when the cell is looked at. The picture of the
 * cell before stays until the new one is here. A trial's status is part of the key, so that one
 * that was still running is fetched again when it has ended.
 */
export function useCellSamples(cell: MatrixCell | null) {
  const client = useQueryClient();
  const trials = cell?.trials.filter((trial) => trial.status !== "waiting") ?? [];
  return useQuery({
    queryKey: ["cell-samples", trials.map(({ id, status }) => `${id} ${status}`)],
    queryFn: () =>
      Promise.all(
        trials.map(async ({ id, repeat, status }) => ({
          repeat,
          samples: await client.fetchQuery({
            ...samplesQuery(id),
            // what was seen while it ran is not the whole of it
            queryKey: [...samplesQuery(id).queryKey, status],
            staleTime: status === "running" ? 0 : Number.POSITIVE_INFINITY,
          }),
        })),
      ),
    enabled: trials.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: trials.length > 0 ? keepPreviousData : undefined,
  });
}
