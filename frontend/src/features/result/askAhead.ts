import type { QueryClient } from "@tanstack/react-query";
import { matrixQuery, runQuery } from "@/api/queries";
import { loadCanvas } from "@/charts/canvas";
import { type ReadingSearch, readingFor } from "@/features/kinds/matrix/reading";
import { cellSamplesQuery } from "@/features/kinds/matrix/result/cellSamples";
import { chosenCell } from "@/features/kinds/matrix/result/chosenCell";

/**
 * Start loading everything that a result page shows while its own code is still loading: the chart
 * library, the run, the matrix, and the selected cell's samples once the matrix names it. Errors
 * are ignored here; the page repeats the failed request and reports them.
 */
export function askForResult(client: QueryClient, id: number, search: ReadingSearch): void {
  loadCanvas().catch(() => undefined);
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
