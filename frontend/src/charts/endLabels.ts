import type { Layout } from "plotly.js-basic-dist-min";
import { readableOn, seriesStyle } from "./color";
import type { ChartPalette, Line, Span, Strip } from "./figure";

/** Labels at the ends of a strip's lines, moved apart where they would overlap. */

/** Lines of text nearer than this are pushed apart, in pixels. */
const LABEL_GAP = 15;
/** Labels may overlap if their lines end within this share of the whole time. */
const LABEL_SHARE = 0.08;

interface LabelPlace {
  yref: string;
  ceiling: number;
  span: Span;
  palette: ChartPalette;
}

/** Each line's label at its end; only labels of lines that end near each other are pushed apart. */
export function endLabels(strip: Strip, place: LabelPlace): Layout[] {
  const labelled = strip.lines.filter((line) => line.label && line.x.length > 0);
  const near = (place.span[1] - place.span[0]) * LABEL_SHARE;
  const groups = new Map<number, Line[]>();
  for (const line of labelled) {
    const end = line.x.at(-1) as number;
    const found = [...groups.keys()].find((other) => Math.abs(other - end) < near) ?? end;
    groups.set(found, [...(groups.get(found) ?? []), line]);
  }
  return [...groups.values()].flatMap((lines) => spreadLabels(lines, strip, place));
}

function spreadLabels(labelled: readonly Line[], strip: Strip, place: LabelPlace): Layout[] {
  const { yref, ceiling, palette } = place;
  const heights = labelled.map(
    (line) => ((line.y.findLast((y) => y !== null) ?? 0) / ceiling) * strip.height,
  );
  const spread = spreadApart(heights, LABEL_GAP, strip.height);
  return labelled.map((line, index) => ({
    text: line.label,
    xref: "x",
    yref,
    x: line.x.at(-1),
    y: ((heights[index] as number) / strip.height) * ceiling,
    yshift: (spread[index] as number) - (heights[index] as number),
    xshift: 6,
    xanchor: "left",
    yanchor: "middle",
    showarrow: false,
    font: {
      family: palette.fontText,
      size: 11,
      color: readableOn(palette.surface, seriesStyle(line.style, palette.ink).color, palette.ink),
    },
  }));
}

/**
 * The same positions moved apart to at least `gap`, in their order, around their common middle, and
 * between zero and `limit` where they fit.
 */
export function spreadApart(positions: readonly number[], gap: number, limit: number): number[] {
  const order = positions
    .map((_, index) => index)
    .sort((a, b) => at(positions, a) - at(positions, b));
  const moved = [...positions];
  for (let step = 1; step < order.length; step++) {
    const [below, above] = [order[step - 1] as number, order[step] as number];
    moved[above] = Math.max(at(moved, above), at(moved, below) + gap);
  }
  const mean = (values: readonly number[]) =>
    values.reduce((a, b) => a + b, 0) / (values.length || 1);
  const shift = mean(positions) - mean(moved);
  const [lowest, highest] = [Math.min(...moved) + shift, Math.max(...moved) + shift];
  const inside = lowest < 0 ? -lowest : Math.min(0, Math.max(limit - highest, -lowest));
  return moved.map((value) => value + shift + inside);
}

function at(values: readonly number[], index: number): number {
  return values[index] as number;
}
