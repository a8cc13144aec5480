import { figure, formatRate, formatShare, type RateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { trialWords } from "@/features/kinds/path/headline";
import type { Path, PathDirection, PathLeg } from "@/features/kinds/path/shapes";
import { type OneWayRatio, useOneWay } from "./oneWay";

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
