import type { QueryClient } from "@tanstack/react-query";
import { resultQuery, runQuery, runVerdictQuery } from "@/api/queries";

/**
 * Start loading everything that a result page shows while its own code is still loading: the run, its
 * verdict and result, and the parts of its kind: the code and the selected samples. The chart library
 * is not among them: running it takes longer than all else, and delays the answer above the chart.
 * Errors are ignored here; the page repeats the failed request and reports them.
 */
export function askForResult(client: QueryClient, id: number, search: object): void {
  client
    .ensureQueryData(runQuery(id))
    .then((run) => (run.verdict ? client.prefetchQuery(runVerdictQuery(id)) : undefined))
    .catch(() => undefined);
  const registry = import("@/features/kinds/registry"); // not a part of the entry
  Promise.all([client.ensureQueryData(resultQuery(id)), registry])
    .then(([result, { kindOf }]) => {
      const kind = kindOf(result);
      return Promise.all([kind.Result.preload?.(), kind.prefetch(client, result, search)]);
    })
    .catch(() => undefined);
}
