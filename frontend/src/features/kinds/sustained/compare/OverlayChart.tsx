import type { RateUnit } from "@/components/quantities";
import { letterOf } from "@/features/compare/letters";
import { ParticipantSwitches, useParticipantChoice } from "@/features/compare/ParticipantSwitches";
import { shownIn } from "@/features/kinds/sustained/result/shown";
import { TrialsOverlay } from "@/features/kinds/sustained/result/TrialsOverlay";
import type { SustainedComparison } from "@/features/kinds/sustained/shapes";
import { operationOf } from "@/features/kinds/sustained/words";

interface OverlayChartProps {
  comparison: SustainedComparison;
  unit: RateUnit;
}

/** One trial of each run from the same start, over time or over the data moved. */
export function OverlayChart({ comparison, unit }: OverlayChartProps) {
  const { runs } = comparison;
  const { participants, choose } = useParticipantChoice(runs);
  const trials = runs.flatMap(({ result }, index) => {
    const { trial } = shownIn(result, {});
    if (!trial) return [];
    return [{ name: letterOf(index), style: index, trial, participant: participants[index] }];
  });
  return (
    <TrialsOverlay
      trials={trials}
      what="run"
      operation={operationOf(runs.map(({ result }) => result))}
      unit={unit}
      empty="No run has measured a trial."
      filename={`compare-${runs.map((run) => run.id).join("-")}`}
    >
      <ParticipantSwitches runs={runs} participants={participants} onChoose={choose} />
    </TrialsOverlay>
  );
}
