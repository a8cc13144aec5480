/** The unit of an axis, and how many of the data's units are one of it. */
export interface Axis {
  unit: string;
  size: number;
}

/** The unit in which a time axis of a given length reads best. */
export interface TimeAxis extends Axis {
  unit: "s" | "min" | "h";
  /** Nanoseconds in one of the unit. */
  size: number;
}

const AXES: readonly (TimeAxis & { upToNs: number })[] = [
  { unit: "s", size: 1e9, upToNs: 600e9 },
  { unit: "min", size: 60e9, upToNs: 4 * 3600e9 },
  { unit: "h", size: 3600e9, upToNs: Number.POSITIVE_INFINITY },
];

export function timeAxis(longestNs: number): TimeAxis {
  return AXES.find((axis) => longestNs <= axis.upToNs) ?? { unit: "h", size: 3600e9 };
}
