import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { Result, Samples } from "@/api/shapes";
import { samplesQuery, type TrialWindow } from "@/api/trialQueries";
import { readingFor, readingIn } from "@/features/kinds/matrix/reading";
import { asMatrix, type MatrixCell } from "@/features/kinds/matrix/shapes";
import { begunOf } from "@/features/kinds/trials";
import { chosenCell } from "./chosenCell";

/** How often a trial that still runs is looked at again. */
const REFRESH_MS = 3000;
const POINTS = 600;

export interface RepeatSamples {
  repeat: number;
  /** Its place among the run's participants; 0 where there is one. */
  place: number;
  samples: Samples;
}

/**
 * The samples of one cell's trials, or of a window of each; where participants ran together, those
 * of each participant in the chosen repeat. A trial's status is part of the key, so that one that was still
 * running is fetched again when it has ended; until then it is fetched every few seconds.
 */
export function cellSamplesQuery(
  client: QueryClient,
  cell: MatrixCell | null,
  window?: TrialWindow,
  repeat: number | null = null,
) {
  const begun = cell ? begunOf(cell) : [];
  const together = begun.some(({ participants }) => participants.length > 1);
  const shown = begun.find((trial) => trial.repeat === repeat) ?? begun[0];
  const trials = together && shown ? [shown] : begun;
  const running = trials.some(({ status }) => status === "running");
  return queryOptions({
    queryKey: ["cell-samples", trials.map(({ id, status }) => `${id} ${status}`), window ?? null],
    queryFn: (): Promise<RepeatSamples[]> =>
      Promise.all(
        trials.flatMap(({ id, repeat, status, participants }) =>
          placesOf(participants).map(async ({ participant, place }) => {
            const query = samplesQuery(id, { points: POINTS, window, participant });
            return {
              repeat,
              place,
              samples: await client.fetchQuery({
                ...query,
                // what was seen while it ran is not the whole of it
                queryKey: [...query.queryKey, status],
                staleTime: status === "running" ? 0 : Number.POSITIVE_INFINITY,
              }),
            };
          }),
        ),
      ),
    enabled: trials.length > 0,
    staleTime: running ? REFRESH_MS : Number.POSITIVE_INFINITY,
    refetchInterval: running ? REFRESH_MS : false,
  });
}

/** The participants that have begun a trial; one alone need not be named. */
function placesOf(
  participants: MatrixCell["trials"][number]["participants"],
): { participant?: number; place: number }[] {
  if (participants.length === 0) return [{ place: 0 }];
  return participants.flatMap(({ participant_id, status }, place) =>
    status === "waiting" ? [] : [{ participant: participant_id, place }],
  );
}

/** Start loading the samples of the cell whose detail the page opens with. */
export async function prefetchCell(client: QueryClient, result: Result, search: object) {
  const matrix = asMatrix(result);
  const wanted = readingIn(search);
  const reading = readingFor(wanted, matrix.rates, "MB/s");
  const query = cellSamplesQuery(client, chosenCell(matrix, wanted.cell, reading));
  if (query.enabled) await client.prefetchQuery(query);
}
