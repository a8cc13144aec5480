/** Both ends of a tool's transfer as strips, and how the data at the sink grew with each tool. */
import type { Line, Strip } from "@/charts/figure";
import type { Axis } from "@/charts/timeAxis";
import { type RateUnit, rateIn } from "@/components/quantities";
import { memoryStrip, stackedCpuStrip } from "@/features/samples/hostStrips";
import { type Course, columnOf } from "@/features/samples/series";
import { type Change, type EndSamples, sampleLine, strip } from "@/features/transfers/courses";

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
