import { keepPreviousData, type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { linksQuery, samplesQuery, type TrialWindow } from "@/api/queries";
import type { Result } from "@/api/shapes";
import { asPath, type Path, type PathLeg, type PathTrial } from "@/features/kinds/path/shapes";
import { shownIn } from "./shown";
import type { EndSamples } from "./strips";

/** How often a trial that still runs is looked at again. */
const REFRESH_MS = 3000;

/** An end of a transfer, by its participant. */
export type TrialEnd = Pick<EndSamples, "role" | "host"> & { participant: number };

type Trial = Pick<PathTrial, "id" | "status">;

/** The ends that take part in a leg: the sender does not write, and the receiver does not read. */
export const endsOf = ({ participants }: Path, { leg }: Pick<PathLeg, "leg">): TrialEnd[] =>
  (["sender", "receiver"] as const)
    .filter((role) => !(role === "sender" ? leg === "write" : leg === "read"))
    .flatMap((role) =>
      participants
        .filter((one) => one.role === role)
        .map(({ id, host }) => ({ role, host, participant: id })),
    );

/** What both ends recorded, or a window of it; a running trial is fetched again and again. */
export function endSamplesQuery(
  client: QueryClient,
  trial: Trial | null,
  ends: readonly TrialEnd[],
  window?: TrialWindow,
) {
  const running = trial?.status === "running";
  const fresh = { staleTime: running ? 0 : Number.POSITIVE_INFINITY };
  return queryOptions({
    queryKey: [
      "path-trial",
      trial ? `${trial.id} ${trial.status}` : null,
      ends.map(({ participant }) => participant),
      window ?? null,
    ],
    queryFn: (): Promise<EndSamples[]> =>
      Promise.all(
        ends.map(async ({ participant, role, host }) => {
          const ofSamples = samplesQuery(trial?.id ?? 0, { window, participant });
          const ofLinks = linksQuery(trial?.id ?? 0, { window, participant });
          // what was seen while it ran is not the whole of it
          const status = trial?.status ?? null;
          const [samples, links] = await Promise.all([
            client.fetchQuery({
              ...ofSamples,
              queryKey: [...ofSamples.queryKey, status],
              ...fresh,
            }),
            client.fetchQuery({ ...ofLinks, queryKey: [...ofLinks.queryKey, status], ...fresh }),
          ]);
          return { role, host, samples, links };
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
  trial: Trial | null,
  ends: readonly TrialEnd[],
  window: TrialWindow | null,
) {
  const whole = useQuery({
    ...endSamplesQuery(client, trial, ends),
    placeholderData: keepPreviousData,
  });
  const thinned =
    whole.data?.some(({ samples }) => samples.count > (samples.columns.t_ns?.length ?? 0)) ?? false;
  const finer = useQuery({
    ...endSamplesQuery(client, trial, ends, window ?? undefined),
    enabled: trial !== null && window !== null && thinned,
  });
  return { whole, finer: window !== null && thinned ? (finer.data ?? null) : null };
}

/** Start loading the trial that the page opens with. */
export async function prefetchTrial(client: QueryClient, result: Result, search: object) {
  const path = asPath(result);
  const { leg, trial } = shownIn(path, search);
  if (leg && trial) await client.prefetchQuery(endSamplesQuery(client, trial, endsOf(path, leg)));
}
