/** What a chart of strips shows, and what plotly draws of it: colors, axes and limits. */

import { useComputedColorScheme } from "@mantine/core";
import type { Layout, Trace } from "plotly.js-basic-dist-min";
import { useMemo } from "react";
import { withAlpha } from "./color";

export interface Line {
  name: string;
  /** The index of its series style, which is the same across strips. */
  style: number;
  x: readonly number[];
  y: readonly (number | null)[];
  /** Smallest and largest value in each interval, drawn as a band behind the line. */
  band?: { low: readonly (number | null)[]; high: readonly (number | null)[] };
  /** Each value holds over the interval that ends at its x. */
  stepped?: boolean;
  /** Drawn as points: too few values for a line; or as points joined by one, for a few settings. */
  points?: boolean | "joined";
  /**
   * Drawn as an area upon the stacked lines before it, which have the same x. `y` are its own values,
   * as the cursor shows them.
   */
  stacked?: boolean;
  /** The label at the line's end. */
  label?: string;
}

export interface Strip {
  title: string;
  unit: string;
  /** In pixels. */
  height: number;
  lines: Line[];
  limits?: readonly Limit[];
  /** A fixed upper end (100 %); otherwise the data decides. The lower end is always zero. */
  max?: number;
}

/** Start and end, in the unit of the time axis. */
export type Span = readonly [from: number, to: number];

export interface Figure {
  traces: Trace[];
  layout: Layout;
  /** The whole time; a zoom shows a part of it. */
  span: Span;
  marks: readonly Mark[];
  height: number;
  /** The position of the plot and its content, for the cursor. */
  plot: {
    left: number;
    right: number;
    height: number;
    strips: PlacedStrip[];
    /** The only places of the horizontal axis, if it has no values between them. */
    places?: readonly Place[];
  };
}

/** A strip with the position of its title line, in pixels from the picture's top. */
export type PlacedStrip = Strip & { top: number };

/** A special time range, shaded through all strips. */
export interface Phase {
  name: string;
  from: number;
  to: number;
}

/** An event, as a line through all strips. */
export interface Mark {
  at: number;
  /** Short form, written at the line. */
  label: string;
  /** A description of the event, for the button that zooms to it. */
  sentence: string;
}

/** A place on a horizontal axis that has no values between its places. */
export interface Place {
  at: number;
  text: string;
  /** It has no tick; the cursor names it. */
  minor?: boolean;
}

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

/** A horizontal axis of single places, such as queue depths or percentiles, instead of a scale. */

/** The figure with the places on its axis; the cursor moves from one to the next. */
export function withPlaces(figure: Figure, places: readonly Place[]): Figure {
  const ticks = places.filter(({ minor }) => !minor);
  const xaxis = {
    ...(figure.layout.xaxis as object),
    tickvals: ticks.map(({ at }) => at),
    ticktext: ticks.map(({ text }) => text),
  };
  return {
    ...figure,
    layout: { ...figure.layout, xaxis },
    plot: { ...figure.plot, places },
  };
}

/** The theme's colors and fonts as values, because plotly does not read CSS variables. */
export interface ChartPalette {
  ink: string;
  inkFaint: string;
  rule: string;
  surface: string;
  fontText: string;
  fontFigures: string;
}

function readPalette(): ChartPalette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string, otherwise: string) =>
    style.getPropertyValue(name).trim() || otherwise;
  return {
    ink: value("--ink", "#14191d"),
    inkFaint: value("--ink-3", "#5a656d"),
    rule: value("--rule", "#d3dade"),
    surface: value("--paper", "#f3f5f6"),
    fontText: value("--font-text", "sans-serif"),
    fontFigures: value("--font-figures", "monospace"),
  };
}

/** Return the palette of the current theme. */
export function useChartPalette(): ChartPalette {
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme decides what the style says
  return useMemo(readPalette, [scheme]);
}

/** Limits of a strip's values, as lines through it with labels at the left. */

interface Limit {
  /** In the strip's unit. */
  value: number;
  label: string;
}

/** A limit further above the data would squeeze it; its label says that it lies above. */
const MOST_ABOVE = 3;
/** Lines of text nearer than this are pushed apart, in pixels. */
const LABEL_GAP = 14;

/** The highest value that a strip shows, given that of its data. */
export function highestShown(limits: readonly Limit[], highest: number): number {
  const near = limits.map(({ value }) => value).filter((value) => value <= highest * MOST_ABOVE);
  return Math.max(highest, ...near);
}

interface LimitPlace {
  yref: string;
  /** The upper end of the axis, and the strip's height in pixels. */
  ceiling: number;
  height: number;
  palette: ChartPalette;
}

/** The lines of the limits that lie on the axis. */
export const limitLines = (
  limits: readonly Limit[],
  { yref, ceiling, palette }: LimitPlace,
): Layout[] =>
  limits
    .filter(({ value }) => value <= ceiling)
    .map(({ value }) => ({
      type: "line",
      xref: "paper",
      yref,
      x0: 0,
      x1: 1,
      y0: value,
      y1: value,
      line: { color: palette.ink, width: 1, dash: "dash" },
    }));

/** A label for each limit; one above the axis is marked with an arrow. */
export function limitLabels(limits: readonly Limit[], place: LimitPlace): Layout[] {
  const { yref, ceiling, height, palette } = place;
  const heights = limits.map(({ value }) => (Math.min(value, ceiling) / ceiling) * height);
  const spread = stackedBelow(heights, height - LABEL_GAP);
  return limits.map(({ value, label }, index) => ({
    text: value > ceiling ? `↑ ${label}` : label,
    xref: "paper",
    yref,
    x: 0,
    y: Math.min(value, ceiling),
    yshift: (spread[index] as number) - (heights[index] as number),
    xshift: 4,
    xanchor: "left",
    yanchor: "bottom",
    showarrow: false,
    bgcolor: withAlpha(palette.surface, 0.8),
    font: { family: palette.fontText, size: 11, color: palette.ink },
  }));
}

/** The positions, lowered where they would leave the strip at its top or overlap. */
function stackedBelow(positions: readonly number[], top: number): number[] {
  const moved = [...positions];
  let room = top;
  for (const [index, position] of [...positions.entries()].sort(([, a], [, b]) => b - a)) {
    moved[index] = Math.min(position, room);
    room = (moved[index] as number) - LABEL_GAP;
  }
  return moved;
}
