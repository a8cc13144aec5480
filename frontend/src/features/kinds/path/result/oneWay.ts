/** Each direction of full duplex beside the same transfer alone, where the campaign measured it. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { compareQuery, runsQuery } from "@/api/queries";
import type { Comparison } from "@/api/shapes";
import { trialWords } from "@/features/kinds/path/headline";
import type {
  Path,
  PathComparison,
  PathDirection,
  PathHeadline,
  PathLeg,
} from "@/features/kinds/path/shapes";

type LegRatio = NonNullable<PathComparison["outcome"]>["legs"][number];
export type OneWayRatio = NonNullable<LegRatio["one_way"]>[number];

/** There are two: one for each direction. */
const MOST_RUNS = 2;

/** Returns how a direction of a leg compares with a run of the same campaign that is one-way. */
export function useOneWay(path: Path, campaignId: number) {
  const runs = useQuery(runsQuery({ campaign_id: campaignId, state: ["done"] }));
  const alone = (runs.data?.items ?? []).filter(({ headline }) => isOneWay(headline));
  const compared = useQueries({
    queries: alone.slice(0, MOST_RUNS).map(({ id }) => compareQuery([path.run_id, id])),
  });
  const legs = compared.flatMap(({ data }) => legsOf(data));
  return (leg: PathLeg, direction: PathDirection) => oneWayOf(legs, leg, direction);
}

const isOneWay = (headline: { kind: string } | null | undefined): boolean =>
  headline?.kind === "path" && !(headline as PathHeadline).full_duplex;

const legsOf = (comparison: Comparison | undefined): readonly LegRatio[] =>
  (comparison as unknown as PathComparison | undefined)?.outcome?.legs ?? [];

/** The comparison of a direction of a leg among those of other runs. */
export function oneWayOf(
  compared: readonly LegRatio[],
  leg: Pick<PathLeg, "leg" | "block" | "streams">,
  { sources, sinks }: Pick<PathDirection, "sources" | "sinks">,
): OneWayRatio | null {
  const found = compared
    .filter((one) => trialWords(one) === trialWords(leg))
    .flatMap(({ one_way }) => one_way ?? []);
  const ends = JSON.stringify([sources, sinks]);
  return found.find((one) => JSON.stringify([one.sources, one.sinks]) === ends) ?? null;
}
