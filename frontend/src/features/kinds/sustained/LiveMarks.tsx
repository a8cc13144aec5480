import { Select } from "@mantine/core";
import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { resultQuery } from "@/api/queries";
import type { Marks } from "@/api/shapes";
import { marksQuery } from "@/api/trialQueries";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { useRateUnit } from "@/components/quantities";
import { shownIn } from "./result/shown";
import { axisTitle, dataExtent, dataStrips, marksTables } from "./result/strips";
import { asSustained, dataWords, directionName, type Operation, timeWords } from "./sustained";

/** How often new marks are asked for, and how many points there are at most. */
const REFRESH_MS = 5000;
const POINTS = 200;
const CHART_HEIGHT = 400;

interface LiveMarksProps {
  trialId: number;
  /** Whose marks are shown; several have a switch and none in common. */
  places: readonly Place[];
  running: boolean;
}

/** A target with the name that tells it from the others, and its participant in each direction. */
export interface Place {
  name: string;
  parts: readonly { operation: Operation; participant: number }[];
}

/** A trial over the data moved so far; while it is `running`, with its marks as they arrive. */
export function LiveMarks({ trialId, places, running }: LiveMarksProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = places.find(({ name }) => name === chosen) ?? places[0];
  if (!shown) return null;
  if (places.length < 2) return <MarksChart {...{ trialId, running }} parts={shown.parts} />;
  return (
    <>
      <Select
        size="xs"
        mb={8}
        label="Participant"
        allowDeselect={false}
        data={places.map(({ name }) => name)}
        value={shown.name}
        onChange={setChosen}
      />
      <MarksChart {...{ trialId, running }} parts={shown.parts} whose={shown.name} />
    </>
  );
}

interface MarksChartProps extends Omit<LiveMarksProps, "places"> {
  parts: Place["parts"];
  /** The target's name, where there are several. */
  whose?: string;
}

function MarksChart({ parts, trialId, whose, running }: MarksChartProps) {
  const { unit } = useRateUnit();
  const palette = useChartPalette();
  const [only, other] = parts;
  const operation = only && !other ? only.operation : null;
  const query = useQueries({
    queries: parts.map(({ participant }) => {
      const ofTrial = marksQuery(trialId, { points: POINTS, participant });
      return {
        ...ofTrial,
        // what was seen while it ran is not the whole of it
        queryKey: [...ofTrial.queryKey, running ? "running" : "ended"],
        refetchInterval: running ? REFRESH_MS : (false as const),
      };
    }),
    combine: joined,
  });
  const { marks } = query;
  const figure = useMemo(() => {
    const extents = marks.map(dataExtent);
    const extent = extents.toSorted((a, b) => b.end - a.end)[0];
    if (!extent || extent.end === 0) return null;
    const trials = marks.map((one, style) => {
      const name = other ? directionName(parts[style]?.operation ?? "write") : "latest trial";
      const options = { name, label: other ? name : "", style, operation, unit };
      return { marks: one, options };
    });
    return stripsFigure(dataStrips(trials, extent), {
      palette,
      xTitle: axisTitle(extent, operation),
      revision: `${trialId} ${whose ?? ""}`,
    });
  }, [marks, parts, other, operation, unit, palette, trialId, whose]);
  if (query.error && marks.length === 0) {
    return <ProblemPanel error={query.error} retry={query.refetch} />;
  }
  return (
    <Chart
      title={`Throughput over ${dataWords(operation)}${whose ? ` of ${whose}` : ""}`}
      description={`Throughput and peak ${timeWords(operation)} over the ${dataWords(operation)}. The Table button shows all values.`}
      figure={figure}
      empty={emptyWords(query.isPending, running)}
      height={CHART_HEIGHT}
      table={() => marksTables(parts, marks, operation, unit)}
      filename={`trial-${trialId}-marks${whose ? `-${only?.participant}` : ""}`}
    />
  );
}

function emptyWords(isPending: boolean, running: boolean): string {
  if (isPending) return "Loading marks…";
  return running ? "Waiting for the first mark." : "The trial has no marks.";
}

/** The marks of all directions, once they have all arrived. */
function joined(found: UseQueryResult<Marks>[]) {
  const marks = found.flatMap(({ data }) => data ?? []);
  return {
    marks: marks.length === found.length ? marks : [],
    isPending: found.some(({ isPending }) => isPending),
    error: found.find(({ error }) => error)?.error ?? null,
    refetch: () => found.map(({ refetch }) => refetch()),
  };
}

/** The trial with which the result page of an ended run opens. */
export function EndedTrial({ runId, places }: { runId: number; places: readonly Place[] }) {
  const query = useQuery(resultQuery(runId));
  if (query.error) return <ProblemPanel error={query.error} retry={query.refetch} />;
  if (!query.data) return null;
  const result = asSustained(query.data);
  const { trial } = shownIn(result, {});
  return trial ? <LiveMarks trialId={trial.id} places={places} running={false} /> : null;
}
