import { keepPreviousData, type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import type { Links } from "@/api/shapes";
import { linksQuery, samplesQuery, type TrialWindow } from "@/api/trialQueries";
import type { EndSamples, TrialEnd } from "./courses";

/** How often a trial that still runs is looked at again. */
const REFRESH_MS = 3000;

const NO_LINKS: Pick<Links, "columns"> = { columns: {} };

/** A trial as far as its samples depend on it. */
export interface SampledTrial {
  id: number;
  status: string;
}

interface EndsWanted {
  window?: TrialWindow | undefined;
  /** Without links, for what passes no streams of Assay's own. */
  links?: boolean | undefined;
}

/** What both ends recorded, or a window of it; a running trial is fetched again and again. */
export function endSamplesQuery(
  client: QueryClient,
  trial: SampledTrial | null,
  ends: readonly TrialEnd[],
  { window, links = true }: EndsWanted = {},
) {
  const running = trial?.status === "running";
  const fresh = { staleTime: running ? 0 : Number.POSITIVE_INFINITY };
  return queryOptions({
    queryKey: [
      "ends",
      trial ? `${trial.id} ${trial.status}` : null,
      ends.map(({ participant }) => participant),
      window ?? null,
      links,
    ],
    queryFn: (): Promise<EndSamples[]> =>
      Promise.all(
        ends.map(async (end) => {
          const { participant } = end;
          const ofSamples = samplesQuery(trial?.id ?? 0, { window, participant });
          const ofLinks = linksQuery(trial?.id ?? 0, { window, participant });
          // what was seen while it ran is not the whole of it
          const status = trial?.status ?? null;
          const [samples, streams] = await Promise.all([
            client.fetchQuery({
              ...ofSamples,
              queryKey: [...ofSamples.queryKey, status],
              ...fresh,
            }),
            links
              ? client.fetchQuery({ ...ofLinks, queryKey: [...ofLinks.queryKey, status], ...fresh })
              : NO_LINKS,
          ]);
          return { ...end, samples, links: streams };
        }),
      ),
    enabled: trial !== null && ends.length > 0,
    staleTime: running ? REFRESH_MS : Number.POSITIVE_INFINITY,
    refetchInterval: running ? REFRESH_MS : false,
  });
}

/** The whole trial, and the zoomed part of it in more detail as soon as it is here. */
export function useEndSamples(
  client: QueryClient,
  trial: SampledTrial | null,
  ends: readonly TrialEnd[],
  { window, links }: { window: TrialWindow | null; links?: boolean },
) {
  const whole = useQuery({
    ...endSamplesQuery(client, trial, ends, { links }),
    placeholderData: keepPreviousData,
  });
  const thinned =
    whole.data?.some(({ samples }) => samples.count > (samples.columns.t_ns?.length ?? 0)) ?? false;
  const finer = useQuery({
    ...endSamplesQuery(client, trial, ends, { window: window ?? undefined, links }),
    enabled: trial !== null && window !== null && thinned,
  });
  return { whole, finer: window !== null && thinned ? (finer.data ?? null) : null };
}
