import { SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import type { RateUnit } from "@/components/quantities";
import { stepMarks } from "@/features/kinds/results";
import {
  capital,
  dataWords,
  type Operation,
  type SustainedTrial,
  timeWords,
} from "@/features/kinds/sustained/sustained";
import type { Over } from "./shown";
import { axisTitle, extentOf, levelBegin, mainStrips, marksTable } from "./strips";
import { trialSeriesQuery } from "./trialSeries";

/** A trial in a chart of several: its name, the number of its line style, and whose samples. */
export interface OverlaidTrial {
  name: string;
  style: number;
  trial: SustainedTrial;
  participant: number | undefined;
}

interface TrialsOverlayProps {
  trials: readonly OverlaidTrial[];
  /** What the names are of, as the title of a column. */
  what: string;
  /** Null if some trials write and some read. */
  operation: Operation | null;
  unit: RateUnit;
  /** Bytes that the host may cache; 0 if unknown, or if hosts differ. */
  memory?: number;
  empty: string;
  filename: string;
  children?: ReactNode;
}

const CHART_HEIGHT = 410;

/** How many changes from one level to the next a trial has. */
const countOfSteps = ({ levels }: SustainedTrial): number =>
  levels === null ? 0 : levels.held.length - 1;

/** The room that a direct label needs beside the plot, in pixels. */
const roomFor = (names: readonly string[]): number =>
  Math.max(20, ...names.map((name) => 7 * name.length)) + 8;

/** Trials from the same start, over time, over the data moved or over its share of memory. */
export function TrialsOverlay(props: TrialsOverlayProps) {
  const { trials, what, operation, unit, memory = 0, empty, filename, children } = props;
  const client = useQueryClient();
  const palette = useChartPalette();
  const [over, setOver] = useState<Over>("time");
  const steps = trials.reduce((sum, { trial }) => sum + countOfSteps(trial), 0);
  const loaded = useQuery({
    queryKey: [
      "sustained-overlay",
      trials.map(({ trial, participant, name }) => [
        trial.id,
        trial.status,
        participant ?? null,
        name,
      ]),
    ],
    queryFn: () =>
      Promise.all(
        trials.map(async ({ trial, participant, ...drawn }) => ({
          ...drawn,
          levels: trial.levels,
          shown: await client.fetchQuery(trialSeriesQuery(client, trial, participant)),
        })),
      ),
    enabled: trials.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const figure = useMemo(() => {
    const extents = loaded.data?.map(({ shown }) => extentOf(shown, over, memory)) ?? [];
    const end = Math.max(0, ...extents.map((extent) => extent.end));
    const longest = extents.find((extent) => extent.end === end);
    if (!loaded.data || !longest || end === 0) return null;
    const strips = mainStrips(
      loaded.data.map(({ name, style, shown }) => ({
        shown,
        options: { name, label: name, style, operation, unit },
      })),
      longest,
    );
    return stripsFigure(strips, {
      palette,
      xTitle: axisTitle(longest, operation),
      revision: `${over} ${loaded.data.map(({ shown: { samples } }) => `${samples.trial_id} ${samples.participant_id}`).join()}`,
      labelRoom: roomFor(loaded.data.map(({ name }) => name)),
      span: [0, end / longest.axis.size],
      marks: loaded.data.flatMap(({ name, levels }) =>
        stepMarks(levels?.held ?? [], levelBegin(longest), unit, name),
      ),
    });
  }, [loaded.data, over, operation, unit, palette, memory]);
  if (loaded.error) return <ProblemPanel error={loaded.error} retry={() => loaded.refetch()} />;
  return (
    <Chart
      title={`Throughput over ${over === "time" ? "time" : dataWords(operation)}`}
      description={`Throughput and peak ${timeWords(operation)} of ${trials.map(({ name }) => name).join(", ")}. The Table button shows all values.`}
      figure={figure}
      empty={loaded.isFetching ? "Loading samples…" : empty}
      height={CHART_HEIGHT}
      events={steps}
      table={() => {
        const tables = (loaded.data ?? []).map(({ name, shown }) => {
          const { columns, rows } = marksTable(shown.marks, operation, unit);
          return { columns, rows: rows.map((row) => [name, ...row]) };
        });
        return {
          columns: [what, ...(tables[0]?.columns ?? [])],
          rows: tables.flatMap(({ rows }) => rows),
        };
      }}
      filename={filename}
    >
      <SegmentedControl
        size="xs"
        aria-label="Horizontal axis"
        value={over}
        onChange={(value) => setOver(value as Over)}
        data={[
          { value: "time", label: "Time" },
          { value: "data", label: capital(dataWords(operation)) },
          ...(memory > 0 ? [{ value: "memory", label: "Share of memory" }] : []),
        ]}
      />
      {children}
    </Chart>
  );
}
