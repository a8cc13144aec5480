/** Each direction of full duplex beside the same transfer alone, where the campaign measured it. */

import { useQueries, useQuery } from "@tanstack/react-query";
import { compareQuery, runsQuery } from "@/api/queries";
import type { Comparison } from "@/api/shapes";
import { figure, formatRate, formatShare, type RateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import {
  type ComparedPaths,
  type Path,
  type PathDirection,
  type PathHeadline,
  type PathLeg,
  trialWords,
} from "@/features/kinds/path/path";

interface DirectionTableProps {
  path: Path;
  legs: readonly PathLeg[];
  campaignId: number;
  unit: RateUnit;
}

/** What each direction of full duplex reached, and what it does alone if that was measured. */
export function DirectionTable({ path, legs, campaignId, unit }: DirectionTableProps) {
  const oneWay = useOneWay(path, campaignId);
  return (
    <FigureTable caption="Directions of full duplex">
      <thead>
        <tr>
          <th scope="col">Leg</th>
          <th scope="col">Direction</th>
          <th scope="col">Received</th>
          <th scope="col">Share</th>
          <th scope="col">One way</th>
          <th scope="col">Of one way</th>
        </tr>
      </thead>
      <tbody>
        {legs.flatMap((leg) =>
          directionsOf(leg).map((direction, position) => {
            const alone = oneWay(leg, direction);
            return (
              <tr key={`${trialWords(leg)} ${wayText(direction)}`}>
                <th scope="row">{trialWords(leg)}</th>
                <td>
                  {wayText(direction)}
                  {position === leg.slower_direction ? ", slower" : null}
                </td>
                <td>{rateText(direction.bytes_per_s?.mean, unit)}</td>
                <td>{direction.share == null ? "–" : formatShare(direction.share)}</td>
                <td>{rateText(alone?.one_way_bytes_per_s, unit)}</td>
                <td>
                  {alone === null ? "–" : `${figure(alone.ratio)}×, ${ANSWERS[alone.answer]}`}
                </td>
              </tr>
            );
          }),
        )}
      </tbody>
    </FigureTable>
  );
}

const ANSWERS: Record<OneWayRatio["answer"], string> = {
  slower: "slower",
  faster: "faster",
  within_noise: "within noise",
  too_few_repeats: "too few repeats",
};

/** The directions of a leg; none unless it is full duplex. */
export const directionsOf = ({ directions }: PathLeg): readonly PathDirection[] => directions ?? [];

/** "web-1 /mnt → db /mnt" */
export const wayText = ({ sources, sinks }: PathDirection): string =>
  `${sources.join(" + ")} → ${sinks.join(" + ")}`;

const rateText = (bytesPerS: number | undefined, unit: RateUnit): string =>
  bytesPerS === undefined ? "–" : formatRate(bytesPerS, unit);

type LegRatio = NonNullable<ComparedPaths["outcome"]>["legs"][number];
type OneWayRatio = NonNullable<LegRatio["one_way"]>[number];

/** There are two: one for each direction. */
const MOST_RUNS = 2;

/** Returns how a direction of a leg compares with a run of the same campaign that is one-way. */
function useOneWay(path: Path, campaignId: number) {
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
  (comparison as unknown as ComparedPaths | undefined)?.outcome?.legs ?? [];

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
