import type { QueryClient } from "@tanstack/react-query";
import { matrixQuery, runQuery } from "@/api/queries";
import { type ReadingSearch, readingFor } from "@/features/matrix/reading";
import { cellSamplesQuery } from "./cellSamples";
import { chosenCell } from "./chosenCell";

/**
 * Asks for all that a result shows while the page's own code is on its way: run, matrix, and the
 * chosen cell's samples as soon as the matrix names it. What fails here is asked for again by the
 * page, which says so.
 */
export function askForResult(client: QueryClient, id: number, search: ReadingSearch): void {
  void client.prefetchQuery(runQuery(id));
  client
    .ensureQueryData(matrixQuery(id))
    .then((matrix) => {
      const reading = readingFor(search, matrix.rates, "MB/s");
      const query = cellSamplesQuery(client, chosenCell(matrix, search.cell, reading));
      return query.enabled ? client.prefetchQuery(query) : undefined;
    })
    .catch(() => undefined);
}
