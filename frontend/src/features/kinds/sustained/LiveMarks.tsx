import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { marksQuery, resultQuery } from "@/api/queries";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/palette";
import { stripsFigure } from "@/charts/strips";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { useRateUnit } from "@/components/quantities";
import { marksTable } from "./result/marksTable";
import { shownIn } from "./result/shown";
import { axisTitle, dataExtent, dataStrips } from "./result/strips";
import { asSustained, type Operation } from "./shapes";
import { dataWords, timeWords } from "./words";

/** How often new marks are asked for, and how many points there are at most. */
const REFRESH_MS = 5000;
const POINTS = 200;
const CHART_HEIGHT = 400;

interface LiveMarksProps {
  operation: Operation;
  trialId: number;
  /** Whose marks are shown; several have a switch and none in common. */
  participants: readonly NamedParticipant[];
  running: boolean;
}

/** A participant with the name that tells it from the others. */
export interface NamedParticipant {
  id: number;
  name: string;
}

/** A trial over the data moved so far; while it is `running`, with its marks as they arrive. */
export function LiveMarks({ operation, trialId, participants, running }: LiveMarksProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = participants.find(({ id }) => id === chosen) ?? participants[0];
  if (participants.length < 2 || !shown) {
    return <MarksChart {...{ operation, trialId, running }} />;
  }
  return (
    <>
      <Select
        size="xs"
        mb={8}
        label="Participant"
        allowDeselect={false}
        data={participants.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={String(shown.id)}
        onChange={(id) => id && setChosen(Number(id))}
      />
      <MarksChart {...{ operation, trialId, running }} participant={shown} />
    </>
  );
}

interface MarksChartProps extends Omit<LiveMarksProps, "participants"> {
  /** One of several. */
  participant?: NamedParticipant;
}

function MarksChart({ operation, trialId, participant, running }: MarksChartProps) {
  const { unit } = useRateUnit();
  const palette = useChartPalette();
  const ofTrial = marksQuery(trialId, { points: POINTS, participant: participant?.id });
  const query = useQuery({
    ...ofTrial,
    // what was seen while it ran is not the whole of it
    queryKey: [...ofTrial.queryKey, running ? "running" : "ended"],
    refetchInterval: running ? REFRESH_MS : false,
  });
  const marks = query.data;
  const figure = useMemo(() => {
    const extent = marks ? dataExtent(marks) : null;
    if (!marks || !extent || extent.end === 0) return null;
    const options = { name: "latest trial", label: "", style: 0, operation, unit };
    return stripsFigure(dataStrips([{ marks, options }], extent), {
      palette,
      xTitle: axisTitle(extent, operation),
      revision: `${trialId} ${participant?.id ?? ""}`,
    });
  }, [marks, operation, unit, palette, trialId, participant?.id]);
  if (query.error && !marks) return <ProblemPanel error={query.error} retry={query.refetch} />;
  return (
    <Chart
      title={`Throughput over ${dataWords(operation)}${participant ? ` of ${participant.name}` : ""}`}
      description={`Throughput and peak ${timeWords(operation)} over the ${dataWords(operation)}. The Table button shows all values.`}
      figure={figure}
      empty={query.isPending ? "Loading marks…" : "Waiting for the first mark."}
      height={CHART_HEIGHT}
      table={() => marksTable(marks, operation, unit)}
      filename={`trial-${trialId}-marks${participant ? `-${participant.id}` : ""}`}
    />
  );
}

/** The trial with which the result page of an ended run opens. */
export function EndedTrial({
  runId,
  participants,
}: {
  runId: number;
  participants: readonly NamedParticipant[];
}) {
  const query = useQuery(resultQuery(runId));
  if (query.error) return <ProblemPanel error={query.error} retry={query.refetch} />;
  if (!query.data) return null;
  const result = asSustained(query.data);
  const { trial } = shownIn(result, {});
  return trial ? (
    <LiveMarks
      operation={result.operation}
      trialId={trial.id}
      participants={participants}
      running={false}
    />
  ) : null;
}
