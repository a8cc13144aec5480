/** The cells of a sweep over the setting of which it has most values. */
import { formatBlock, formatRate, type RateUnit } from "@/components/quantities";
import {
  directionName,
  directionsOf,
  modeWords,
  type Operation,
  type Sustained,
  type SustainedCell,
} from "@/features/kinds/sustained/sustained";
import { spanText } from "@/features/parameters/parse";

interface Setting {
  title: string;
  of(cell: SustainedCell): number | null;
  /** A value, as a tick of the axis names it. */
  text(value: number, unit: RateUnit): string;
  /** A value, as a line's name has it. */
  words(value: number, unit: RateUnit): string;
}

const blocks = (value: number) => `${formatBlock(value)} blocks`;

/** The settings that can be an axis, the more telling one first. */
const AXES: Setting[] = [
  {
    title: "Queue depth",
    of: ({ queue_depth }) => queue_depth,
    text: String,
    words: (value) => `queue depth ${value}`,
  },
  {
    title: "Blocks per burst",
    of: ({ burst_blocks }) => burst_blocks,
    text: String,
    words: (value) => `bursts of ${value}`,
  },
  {
    title: "Pacing rate",
    of: ({ rate_bytes_per_s }) => rate_bytes_per_s,
    text: formatRate,
    words: formatRate,
  },
  { title: "Block size", of: ({ block }) => block, text: formatBlock, words: blocks },
];

/** Rest has a table of its own; here it tells lines apart. */
const REST: Setting = {
  title: "Rest",
  of: ({ idle_ms }) => idle_ms,
  text: spanText,
  words: (value) => (value > 0 ? `after ${spanText(value)} of rest` : "without rest"),
};

/** One line: the cells that differ only by the axis, in its order. */
export interface SweepLine {
  /** What tells it from the others; empty if there is only one. */
  name: string;
  operation: Operation;
  cells: { value: number; cell: SustainedCell }[];
}

export interface Sweep {
  /** "Queue depth" */
  title: string;
  /** All values of the axis, ascending. */
  values: number[];
  text(value: number): string;
  lines: SweepLine[];
}

/** Whether the cells differ by their queue depth, so that each names its own. */
export const sweepsDepth = ({ cells }: Pick<Sustained, "cells">): boolean =>
  cells.some(({ queue_depth }) => queue_depth !== cells[0]?.queue_depth);

/** A result as a sweep; null if its cells differ by no setting that can be an axis. */
export function sweepOf(result: Sustained, unit: RateUnit): Sweep | null {
  const valuesOf = ({ of }: Setting) =>
    [...new Set(result.cells.map(of))].filter((value) => value !== null).sort((a, b) => a - b);
  const counts = AXES.map((axis) => valuesOf(axis).length);
  const most = Math.max(...counts);
  const axis = AXES[counts.indexOf(most)];
  if (!axis || most < 2) return null;
  const others = [...AXES, REST].filter((one) => one !== axis && valuesOf(one).length > 1);
  const directions = directionsOf(result);
  const lines = new Map<string, SweepLine>();
  for (const { operation, cells } of directions) {
    for (const cell of cells) {
      const value = axis.of(cell);
      if (value === null) continue;
      const name = [
        ...(directions.length > 1 ? [directionName(operation).toLowerCase()] : []),
        ...others.map(({ of, words }) => words(of(cell) ?? 0, unit)),
        modeWords(cell.mode),
      ]
        .filter(Boolean)
        .join(", ");
      const line = lines.get(name) ?? { name, operation, cells: [] };
      line.cells.push({ value, cell });
      lines.set(name, line);
    }
  }
  for (const { cells } of lines.values()) cells.sort((a, b) => a.value - b.value);
  return {
    title: axis.title,
    values: valuesOf(axis),
    text: (value) => axis.text(value, unit),
    lines: [...lines.values()],
  };
}
