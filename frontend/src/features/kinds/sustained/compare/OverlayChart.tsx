import { SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/palette";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import type { RateUnit } from "@/components/quantities";
import { letterOf } from "@/features/compare/letters";
import { ParticipantSwitches, useParticipantChoice } from "@/features/compare/ParticipantSwitches";
import { marksTable } from "@/features/kinds/sustained/result/marksTable";
import { shownIn } from "@/features/kinds/sustained/result/shown";
import {
  axisTitle,
  extentOf,
  mainStrips,
  type Over,
} from "@/features/kinds/sustained/result/strips";
import { trialSeriesQuery } from "@/features/kinds/sustained/result/trialSeries";
import type { SustainedComparison } from "@/features/kinds/sustained/shapes";
import { capital, dataWords, operationOf, timeWords } from "@/features/kinds/sustained/words";
import { cliffMarks } from "./cliffMarks";

interface OverlayChartProps {
  comparison: SustainedComparison;
  unit: RateUnit;
}

const CHART_HEIGHT = 410;

/** One trial of each run from the same start, over time or over the data moved. */
export function OverlayChart({ comparison, unit }: OverlayChartProps) {
  const client = useQueryClient();
  const palette = useChartPalette();
  const [over, setOver] = useState<Over>("time");
  const operation = operationOf(comparison.runs.map(({ result }) => result));
  const { participants, choose } = useParticipantChoice(comparison.runs);
  const trials = comparison.runs.flatMap(({ result }, index) => {
    const { trial } = shownIn(result, {});
    return trial ? [{ index, trial, participant: participants[index] }] : [];
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trials are those of the comparison
  const cliffs = useMemo(
    () =>
      trials.flatMap(({ index, trial }) => (trial.cliff ? [{ index, cliff: trial.cliff }] : [])),
    [comparison],
  );
  const loaded = useQuery({
    queryKey: [
      "sustained-overlay",
      trials.map(({ trial, participant }) => [trial.id, trial.status, participant ?? null]),
    ],
    queryFn: () =>
      Promise.all(
        trials.map(async ({ index, trial, participant }) => ({
          index,
          shown: await client.fetchQuery(trialSeriesQuery(client, trial, participant)),
        })),
      ),
    enabled: trials.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const figure = useMemo(() => {
    const extents = loaded.data?.map(({ shown }) => extentOf(shown, over)) ?? [];
    const end = Math.max(0, ...extents.map((extent) => extent.end));
    const longest = extents.find((extent) => extent.end === end);
    if (!loaded.data || !longest || end === 0) return null;
    const strips = mainStrips(
      loaded.data.map(({ index, shown }) => ({
        shown,
        options: { name: letterOf(index), label: letterOf(index), style: index, operation, unit },
      })),
      longest,
    );
    return stripsFigure(strips, {
      palette,
      xTitle: axisTitle(longest, operation),
      revision: `${over} ${loaded.data.map(({ shown: { samples } }) => `${samples.trial_id} ${samples.participant_id}`).join()}`,
      labelRoom: 28,
      span: [0, end / longest.axis.size],
      marks: cliffMarks(cliffs, longest, unit),
    });
  }, [loaded.data, cliffs, over, operation, unit, palette]);
  if (loaded.error) return <ProblemPanel error={loaded.error} retry={() => loaded.refetch()} />;
  const letters = trials.map(({ index }) => letterOf(index)).join(", ");
  return (
    <Chart
      title={`Throughput over ${over === "time" ? "time" : dataWords(operation)}`}
      description={`Throughput and peak ${timeWords(operation)} of ${letters}. The Table button shows all values.`}
      figure={figure}
      empty={loaded.isFetching ? "Loading samples…" : "No run has measured a trial."}
      height={CHART_HEIGHT}
      events={cliffs.length}
      table={() => {
        const tables = (loaded.data ?? []).map(({ index, shown }) => {
          const { columns, rows } = marksTable(shown.marks, operation, unit);
          return { columns, rows: rows.map((row) => [letterOf(index), ...row]) };
        });
        return {
          columns: ["run", ...(tables[0]?.columns ?? [])],
          rows: tables.flatMap(({ rows }) => rows),
        };
      }}
      filename={`compare-${comparison.runs.map((run) => run.id).join("-")}`}
    >
      <SegmentedControl
        size="xs"
        aria-label="Horizontal axis"
        value={over}
        onChange={(value) => setOver(value as Over)}
        data={[
          { value: "time", label: "Time" },
          { value: "data", label: capital(dataWords(operation)) },
        ]}
      />
      <ParticipantSwitches runs={comparison.runs} participants={participants} onChoose={choose} />
    </Chart>
  );
}
