import type { Layout } from "plotly.js-basic-dist-min";
import { withAlpha } from "./color";
import type { ChartPalette } from "./palette";

/** Limits of a strip's values, as lines through it with labels at the left. */

export interface Limit {
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

interface Place {
  yref: string;
  /** The upper end of the axis, and the strip's height in pixels. */
  ceiling: number;
  height: number;
  palette: ChartPalette;
}

/** The lines of the limits that lie on the axis. */
export const limitLines = (limits: readonly Limit[], { yref, ceiling, palette }: Place): Layout[] =>
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
export function limitLabels(limits: readonly Limit[], place: Place): Layout[] {
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
