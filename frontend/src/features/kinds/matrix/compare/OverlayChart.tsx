import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { samplesQuery } from "@/api/trialQueries";
import { Chart } from "@/charts/Chart";
import { timeAxis, useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import {
  letterOf,
  ParticipantSwitches,
  useParticipantChoice,
} from "@/features/compare/ComparisonParts";
import {
  type CellKey,
  type ComparedMatrices,
  cellName,
  findCell,
  type MatrixCell,
  type Reading,
} from "@/features/kinds/matrix/matrix";
import { placeWords } from "@/features/kinds/matrix/matrixGrid";
import { seriesTable } from "@/features/samples/hostStrips";
import { latencyStrip, longestOf, type Series, throughputStrip } from "@/features/samples/series";

interface OverlayChartProps {
  comparison: ComparedMatrices;
  cell: CellKey;
  reading: Reading;
}

const HEIGHTS = { throughput: 220, latency: 100 };
const CHART_HEIGHT = 430;
const LABEL_ROOM = 28;

/** One cell of all runs over time: each run's typical repeat, from the same start. */
export function OverlayChart({ comparison, cell, reading }: OverlayChartProps) {
  const client = useQueryClient();
  const palette = useChartPalette();
  const { participants, choose } = useParticipantChoice(comparison.runs);
  const trials = comparison.runs.flatMap(({ result }, index) => {
    const own = findCell(result, cell);
    const trial = own ? typicalTrial(own, reading) : null;
    if (!trial) return [];
    const { id, repeat, status } = trial;
    return [{ index, id, repeat, status, participant: participants[index] }];
  });
  const samples = useQuery({
    queryKey: [
      "trials",
      "overlaid",
      trials.map(({ id, status, participant }) => [id, status, participant ?? null]),
    ],
    queryFn: () =>
      Promise.all(
        trials.map(async ({ index, id, repeat, status, participant }): Promise<Series> => {
          const query = samplesQuery(id, { participant });
          return {
            name: `${letterOf(index)}, repeat ${repeat}`,
            label: letterOf(index),
            style: index,
            samples: await client.fetchQuery({
              ...query,
              queryKey: [...query.queryKey, status],
              staleTime: Number.POSITIVE_INFINITY,
            }),
          };
        }),
      ),
    enabled: trials.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: trials.length > 0 ? keepPreviousData : undefined,
  });
  const figure = useMemo(() => {
    if (!samples.data || samples.data.length === 0) return null;
    const strips = [
      throughputStrip(samples.data, reading.unit, HEIGHTS.throughput),
      latencyStrip(samples.data, HEIGHTS.latency),
    ];
    return stripsFigure(strips, {
      palette,
      xTitle: `Time since start of trial (${timeAxis(longestOf(samples.data)).unit})`,
      revision: samples.data
        .map(({ samples }) => `${samples.trial_id} ${samples.participant_id}`)
        .join(),
      labelRoom: LABEL_ROOM,
    });
  }, [samples.data, reading.unit, palette]);

  if (samples.error) return <ProblemPanel error={samples.error} retry={() => samples.refetch()} />;
  return (
    <Chart
      title={`${placeWords(cell)} over time`}
      description={`Throughput and peak latency over time of ${trials.map(({ index }) => letterOf(index)).join(", ")}. The Table button shows all values.`}
      figure={figure}
      empty={samples.isFetching ? "Loading samples…" : "No run has measured this cell."}
      height={CHART_HEIGHT}
      table={() => seriesTable(samples.data ?? [], reading.unit)}
      filename={`compare-${comparison.runs.map((run) => run.id).join("-")}-${cellName(cell)}`}
    >
      <ParticipantSwitches runs={comparison.runs} participants={participants} onChoose={choose} />
    </Chart>
  );
}

type TrialResult = MatrixCell["trials"][number];

/** The trial that stands for a cell in an overlay: the one nearest to the cell's median. */
export function typicalTrial(cell: MatrixCell, { rate }: Reading): TrialResult | null {
  const bytesPerS = (trial: TrialResult) =>
    rate === "durable" ? trial.durable_bytes_per_s : trial.application_bytes_per_s;
  const median = cell[rate]?.median;
  if (median === undefined) return null;
  let nearest: TrialResult | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const trial of cell.trials) {
    const away = Math.abs((bytesPerS(trial) ?? Number.POSITIVE_INFINITY) - median);
    if (away < distance) [nearest, distance] = [trial, away];
  }
  return nearest;
}
