import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import type { MatrixCell } from "@/api/shapes";
import { cellSamplesQuery } from "./cellSamples";

/**
 * The samples of the cell that is looked at. The picture of the cell before stays until the new one
 * is here.
 */
export function useCellSamples(cell: MatrixCell) {
  const query = cellSamplesQuery(useQueryClient(), cell);
  return useQuery({
    ...query,
    placeholderData: query.enabled ? keepPreviousData : undefined,
  });
}
