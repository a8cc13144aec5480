import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { Result, Samples } from "@/api/shapes";
import { samplesQuery, type TrialWindow } from "@/api/trialQueries";
import {
  asMatrix,
  findCell,
  type Matrix,
  type MatrixCell,
  parseCell,
  type Reading,
  readingFor,
  readingIn,
} from "@/features/kinds/matrix/matrix";
import { begunOf } from "@/features/kinds/results";

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
function cellSamplesQuery(
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

/** The cell whose detail is open: the one that the address names, else the best, else any that began. */
export function chosenCell(
  matrix: Matrix,
  named: string | null | undefined,
  { rate }: Pick<Reading, "rate">,
): MatrixCell | null {
  return (
    findCell(matrix, named ? parseCell(named) : null) ??
    findCell(matrix, matrix.best[rate]) ??
    matrix.cells.find(({ state }) => state !== "empty") ??
    null
  );
}
