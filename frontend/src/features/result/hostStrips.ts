import type { Samples } from "@/api/shapes";
import type { Line, Strip } from "@/charts/strips";
import { timeAxis } from "@/charts/timeAxis";
import { type RateUnit, rateIn } from "@/components/quantities";
import { joinedFragments } from "@/features/matrix/fragments";
import { columnOf, mapped, stepped } from "@/features/matrix/series";

/** What the host did meanwhile: processors and the target's device, for one trial. */

/** Styles that do not repeat the first repeats' colours. */
const STYLE = { user: 5, system: 4, softirq: 3, iowait: 7, busiest: 15, written: 2, read: 5 };

const CPU: readonly [column: string, name: string, style: number][] = [
  ["cpu_user", "user", STYLE.user],
  ["cpu_system", "system", STYLE.system],
  ["cpu_softirq", "softirq", STYLE.softirq],
  ["cpu_iowait", "I/O wait", STYLE.iowait],
  ["cpu_busiest", "busiest core", STYLE.busiest],
];

const DEVICE: readonly [column: string, name: string, style: number][] = [
  ["dev_write_bps", "written", STYLE.written],
  ["dev_read_bps", "read", STYLE.read],
];

export function cpuStrip(samples: Samples, longestNs: number, height: number): Strip {
  // The kernel counts in ticks, which can put a hair more than the whole into an interval.
  const percent = (share: number) => Math.min(100, share * 100);
  return {
    title: "CPU",
    unit: "%",
    height,
    max: 100,
    lines: linesOf(samples, longestNs, CPU, percent),
  };
}

/** Null where the target has no local device whose bytes could be counted. */
export function deviceStrip(
  samples: Samples,
  longestNs: number,
  unit: RateUnit,
  height: number,
): Strip | null {
  const known = DEVICE.some(([column]) =>
    columnOf(samples, column).some((value) => value !== null),
  );
  if (!known) return null;
  return {
    title: "Device",
    unit,
    height,
    lines: linesOf(samples, longestNs, DEVICE, (bps) => rateIn(bps, unit)),
  };
}

function linesOf(
  samples: Samples,
  longestNs: number,
  columns: readonly [column: string, name: string, style: number][],
  change: (value: number) => number,
): Line[] {
  const axis = timeAxis(longestNs);
  const drawn = joinedFragments(samples);
  return columns
    .filter(([column]) => columnOf(samples, column).some((value) => value !== null))
    .map(([column, name, style]) => ({
      ...stepped(drawn, axis, mapped(columnOf(drawn, column), change)),
      name,
      label: name,
      style,
    }));
}
