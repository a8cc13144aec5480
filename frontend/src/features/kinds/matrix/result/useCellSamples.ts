import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TrialWindow } from "@/api/trialQueries";
import type { MatrixCell } from "@/features/kinds/matrix/shapes";
import { cellSamplesQuery, type RepeatSamples } from "./cellSamples";

/**
 * The samples of the cell that is looked at. The picture of the cell before stays until the new one
 * is here.
 */
export function useCellSamples(cell: MatrixCell, repeat: number | null) {
  const query = cellSamplesQuery(useQueryClient(), cell, undefined, repeat);
  return useQuery({
    ...query,
    placeholderData: query.enabled ? keepPreviousData : undefined,
  });
}

/**
 * The samples of a window, finer than those of the whole; null as long as the whole has to do: while
 * they are fetched, or where it holds every sample already.
 */
export function useFinerSamples(
  cell: MatrixCell,
  window: TrialWindow | null,
  whole: readonly RepeatSamples[] | undefined,
  repeat: number | null,
): readonly RepeatSamples[] | null {
  const thinned = whole?.some(({ samples }) => samples.count > (samples.columns.t_ns?.length ?? 0));
  const query = cellSamplesQuery(useQueryClient(), cell, window ?? undefined, repeat);
  const { data } = useQuery({ ...query, enabled: window !== null && thinned === true });
  return window !== null && thinned && data ? data : null;
}
