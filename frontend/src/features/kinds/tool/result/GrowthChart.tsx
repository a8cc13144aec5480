/** Both ends of a tool's transfer as strips, and how the data at the sink grew with each tool. */
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { Chart } from "@/charts/Chart";
import { type Axis, type Line, type Strip, timeAxis, useChartPalette } from "@/charts/figure";
import { stripsFigure } from "@/charts/strips";
import { type RateUnit, rateIn } from "@/components/quantities";
import { inputWords, type ToolCell, type Tools } from "@/features/kinds/tool/tool";
import { memoryStrip, stackedCpuStrip } from "@/features/samples/hostStrips";
import { type Course, columnOf } from "@/features/samples/series";
import { type Change, type EndSamples, sampleLine, strip } from "@/features/transfers/courses";
import { endSamplesQuery } from "@/features/transfers/endSamples";
import { typicalOf } from "./shown";
import { endsOf } from "./toolSamples";

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

const HEIGHTS = { growth: 180, part: 96, cpu: 80 };
const STYLE = { sender: 0, receiver: 1 };
const RATE = "rate_mean_bytes_per_s";
const SECOND = 1e9;

/** The sink's growth, cards, disks, CPUs and the sink's memory. */
export function toolStrips(ends: readonly EndSamples[], unit: RateUnit, axis: Axis): Strip[] {
  const rate: Change = (bytesPerS) => rateIn(bytesPerS, unit);
  const source = ends.find(({ role }) => role === "sender");
  const sink = ends.find(({ role }) => role === "receiver");
  const line = (end: EndSamples | undefined, column: string, name: string) =>
    end && sampleLine(end, column, rate, axis, { name, style: STYLE[end.role] });
  const strips = [
    strip("Growth at the sink", unit, HEIGHTS.growth, [line(sink, RATE, "arrived")]),
    strip("Network", unit, HEIGHTS.part, [
      line(source, "net_tx_bytes_per_s", "source sent"),
      line(sink, "net_rx_bytes_per_s", "sink received"),
    ]),
    strip("Disks", unit, HEIGHTS.part, [
      line(source, "dev_read_bytes_per_s", "source read"),
      line(sink, "dev_write_bytes_per_s", "sink written"),
    ]),
    ...ends.map((end) => {
      const cpu = stackedCpuStrip(end.samples, HEIGHTS.cpu, axis);
      return cpu && { ...cpu, title: `CPU of the ${end.role === "sender" ? "source" : "sink"}` };
    }),
    (sink && memoryStrip(sink.samples, 0, HEIGHTS.part, axis)) ?? null,
  ];
  return strips.filter((one) => one !== null);
}

/** A tool with what its sink recorded. */
export interface Grown {
  name: string;
  samples: Course;
}

const UNITS: readonly [unit: string, size: number][] = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
];

/** The data at the sink since the start, a line for each tool: the steeper, the faster. */
export function growthStrip(tools: readonly Grown[], height: number, axis: Axis): Strip {
  const courses = tools.map(({ samples }) => grown(samples));
  const most = Math.max(0, ...courses.map(({ y }) => y.at(-1) ?? 0));
  const [unit, size] = UNITS.find(([, bytes]) => most >= bytes) ?? ["kB", 1e3];
  return {
    title: "Data at the sink",
    unit,
    height,
    lines: tools.map(({ name }, index): Line => {
      const { x, y } = courses[index] ?? { x: [], y: [] };
      return {
        name,
        label: name,
        style: index,
        x: x.map((ns) => ns / axis.size),
        y: y.map((bytes) => bytes / size),
      };
    }),
  };
}

/** The bytes that have arrived by the end of each interval, from zero at the start. */
function grown(samples: Course): { x: number[]; y: number[] } {
  const ends = columnOf(samples, "t_ns");
  const lengths = columnOf(samples, "dt_ns");
  const rates = columnOf(samples, RATE);
  let bytes = 0;
  const first = (ends[0] ?? 0) - (lengths[0] ?? 0);
  const y = ends.map((_, index) => {
    bytes += ((rates[index] ?? 0) * (lengths[index] ?? 0)) / SECOND;
    return bytes;
  });
  return ends.length > 0
    ? { x: [first, ...ends.map((end) => end ?? 0)], y: [0, ...y] }
    : { x: [], y };
}
