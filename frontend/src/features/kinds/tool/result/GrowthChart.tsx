import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { Chart } from "@/charts/Chart";
import { useChartPalette } from "@/charts/palette";
import { stripsFigure } from "@/charts/strips";
import { timeAxis } from "@/charts/timeAxis";
import { type RateUnit, rateIn } from "@/components/quantities";
import { inputWords } from "@/features/kinds/tool/headline";
import type { ToolCell, Tools } from "@/features/kinds/tool/shapes";
import { columnOf } from "@/features/samples/series";
import { endSamplesQuery } from "@/features/transfers/endSamples";
import { typicalOf } from "./shown";
import { endsOf } from "./toolSamples";
import { growthStrip } from "./toolStrips";

const HEIGHT = 300;
const STRIP = 220;
const LABEL_ROOM = 120;

/** How the data at the sink grew with each tool, in its trial nearest to the mean. */
export function GrowthChart({ tools, unit }: { tools: Tools; unit: RateUnit }) {
  const palette = useChartPalette();
  const client = useQueryClient();
  const sink = endsOf(tools).filter(({ role }) => role === "receiver");
  const shown = tools.cells.flatMap((cell) => {
    const trial = typicalOf(cell);
    return trial ? [{ cell, trial }] : [];
  });
  const queries = useQueries({
    queries: shown.map(({ trial }) => endSamplesQuery(client, trial, sink, { links: false })),
  });
  const names = namesOf(shown.map(({ cell }) => cell));
  const loaded = queries.flatMap(({ data }, index) => {
    const samples = data?.[0]?.samples;
    return samples ? [{ name: names[index] ?? "", samples }] : [];
  });
  const isLoading = queries.some(({ isFetching }) => isFetching);
  const version = loaded.map(({ name, samples }) => `${name} ${samples.count}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says whether the samples are others
  const figure = useMemo(() => {
    if (loaded.length === 0) return null;
    const longest = Math.max(...loaded.map(({ samples }) => columnOf(samples, "t_ns").at(-1) ?? 0));
    const axis = timeAxis(longest);
    return stripsFigure([growthStrip(loaded, STRIP, axis)], {
      palette,
      xTitle: `Time since start of trial (${axis.unit})`,
      revision: "growth",
      labelRoom: LABEL_ROOM,
    });
  }, [version, palette]);
  return (
    <Chart
      title="Data at the sink over time"
      description={`Data at the sink with ${names.join(", ")}; the steeper a line, the faster.`}
      figure={figure}
      empty={isLoading ? "Loading samples…" : "No trial has samples yet."}
      height={HEIGHT}
      table={() => ({
        columns: ["tool", "time (s)", `growth (${unit})`],
        rows: loaded.flatMap(({ name, samples }) =>
          columnOf(samples, "t_ns").map((end, index) => [
            name,
            (end ?? 0) / 1e9,
            rateOf(columnOf(samples, "rate_mean_bytes_per_s")[index] ?? null, unit),
          ]),
        ),
      })}
      filename={`run-${tools.run_id}-growth`}
    />
  );
}

const rateOf = (bytesPerS: number | null, unit: RateUnit): number | null =>
  bytesPerS === null ? null : Number(rateIn(bytesPerS, unit).toPrecision(6));

/** The tools' names, with their input where a tool has several. */
const namesOf = (cells: readonly ToolCell[]): string[] =>
  cells.map((cell) =>
    cells.filter(({ tool }) => tool === cell.tool).length > 1
      ? `${cell.title}, ${inputWords(cell)}`
      : cell.title,
  );
