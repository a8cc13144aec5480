import { keepPreviousData, type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { Marks, Result, Samples } from "@/api/shapes";
import { marksQuery, samplesQuery, type TrialWindow } from "@/api/trialQueries";
import { asSustained, type SustainedTrial } from "@/features/kinds/sustained/sustained";
import { shownIn } from "./shown";

/** How often a trial that still runs is looked at again. */
const REFRESH_MS = 3000;

/** A trial over its data and over time. */
export interface TrialSeries {
  marks: Marks;
  samples: Samples;
}

/** The part of a trial that is looked at. */
export interface Windows {
  bytes: TrialWindow;
  time: TrialWindow;
}

/** Both series of a trial, or of windows of it; a running one is fetched every few seconds. */
export function trialSeriesQuery(
  client: QueryClient,
  trial: Pick<SustainedTrial, "id" | "status"> | null,
  participant?: number,
  windows: Windows | null = null,
) {
  const running = trial?.status === "running";
  const staleTime = running ? REFRESH_MS : Number.POSITIVE_INFINITY;
  return queryOptions({
    queryKey: [
      "sustained-trial",
      trial ? `${trial.id} ${trial.status}` : null,
      participant ?? null,
      windows,
    ],
    queryFn: async (): Promise<TrialSeries> => {
      const id = trial?.id ?? 0;
      const fresh = { staleTime: running ? 0 : Number.POSITIVE_INFINITY };
      const ofMarks = marksQuery(id, { window: windows?.bytes, participant });
      const ofSamples = samplesQuery(id, { window: windows?.time, participant });
      const [marks, samples] = await Promise.all([
        client.fetchQuery({
          ...ofMarks,
          queryKey: [...ofMarks.queryKey, trial?.status ?? null],
          ...fresh,
        }),
        client.fetchQuery({
          ...ofSamples,
          queryKey: [...ofSamples.queryKey, trial?.status ?? null],
          ...fresh,
        }),
      ]);
      return { marks, samples };
    },
    enabled: trial !== null,
    staleTime,
    refetchInterval: running ? REFRESH_MS : false,
  });
}

/** The whole trial, and the zoomed part of it in more detail as soon as it is here. */
export function useTrialSeries(
  client: QueryClient,
  trial: SustainedTrial | null,
  participant: number | undefined,
  windows: Windows | null,
) {
  const query = trialSeriesQuery(client, trial, participant);
  const whole = useQuery({ ...query, placeholderData: keepPreviousData });
  const { samples, marks } = whole.data ?? {};
  const thinned =
    samples !== undefined &&
    (samples.count > (samples.columns.t_ns?.length ?? 0) ||
      (marks?.columns.t_ns?.length ?? 0) >= FULL);
  const finer = useQuery({
    ...trialSeriesQuery(client, trial, participant, windows),
    enabled: trial !== null && windows !== null && thinned,
  });
  return { whole, finer: windows !== null && thinned ? (finer.data ?? null) : null };
}

/** So many points are probably fewer than the marks. */
const FULL = 300;

/** Start loading the trial that the page opens with. */
export async function prefetchTrial(client: QueryClient, result: Result, search: object) {
  const { trial, participant } = shownIn(asSustained(result), search);
  if (trial) await client.prefetchQuery(trialSeriesQuery(client, trial, participant));
}
