import type { Layout, Trace } from "plotly.js-basic-dist-min";
import { seriesStyle, withAlpha } from "./color";
import { endLabels } from "./endLabels";
import {
  type ChartPalette,
  type Figure,
  highestShown,
  type Line,
  limitLabels,
  limitLines,
  type Mark,
  type Phase,
  type PlacedStrip,
  type Span,
  type Strip,
} from "./figure";

/**
 * Strips: plots stacked over one time axis with a common cursor. This file maps data to plotly's
 * traces and layout; it does not know runs or trials.
 */

export interface StripsOptions {
  palette: ChartPalette;
  xTitle: string;
  phases?: readonly Phase[];
  marks?: readonly Mark[];
  /** While it is unchanged, the zoom is kept when data arrives. */
  revision: string;
  /** Room at the right for the lines' labels, in pixels. */
  labelRoom?: number;
  /** The whole time, if the lines cover only a part of it. */
  span?: Span;
}

const TITLE_ROOM = 26;
const STRIP_GAP = 14;
const BOTTOM = 44;
const LEFT = 56;
const RIGHT = 12;
/** Headroom above the highest value, so that the frame does not cut off a peak. */
const HEADROOM = 1.06;
/** The width of a letter of a phase's name, and its room at both ends, in pixels. */
const [LETTER, LETTER_ROOM] = [6, 8];
/** Labels of marks follow one another in so many rows of this height: neighbors do not overlap. */
const [LABEL_ROWS, LABEL_ROW] = [4, 18];

export function stripsFigure(strips: readonly Strip[], options: StripsOptions): Figure {
  const { palette, labelRoom = RIGHT, span = timeSpan(strips), marks = [] } = options;
  const inner = strips.reduce((sum, strip) => sum + TITLE_ROOM + strip.height, 0);
  const plot = inner + STRIP_GAP * Math.max(0, strips.length - 1);
  const height = plot + BOTTOM;
  const traces: Trace[] = [];
  const annotations: Layout[] = [];
  const lines: Layout[] = [];
  const axes: Layout = {};
  const placed: PlacedStrip[] = [];
  let top = 0;
  for (const [index, strip] of strips.entries()) {
    const suffix = index === 0 ? "" : String(index + 1);
    const drawn = stackedUp(strip.lines);
    const ceiling = upperEnd({ ...strip, lines: drawn });
    const upper = 1 - (top + TITLE_ROOM) / plot;
    const lower = 1 - (top + TITLE_ROOM + strip.height) / plot;
    axes[`yaxis${suffix}`] = {
      ...axis(palette),
      domain: [Math.max(0, lower), upper],
      range: [0, ceiling],
      rangemode: "tozero",
      nticks: Math.max(3, Math.round(strip.height / 32)),
      fixedrange: true,
      anchor: "x",
    };
    traces.push(...drawn.flatMap((line) => lineTraces(line, `y${suffix}`, palette)));
    annotations.push(stripTitle(strip, upper, palette));
    const labelled = { ...strip, lines: middles(drawn) };
    annotations.push(...endLabels(labelled, { yref: `y${suffix}`, ceiling, span, palette }));
    const place = { yref: `y${suffix}`, ceiling, height: strip.height, palette };
    annotations.push(...limitLabels(strip.limits ?? [], place));
    lines.push(...limitLines(strip.limits ?? [], place));
    placed.push({ ...strip, top });
    top += TITLE_ROOM + strip.height + STRIP_GAP;
  }
  const labelTop = 1 - TITLE_ROOM / plot;
  annotations.push(...marks.map((mark, row) => markLabel(mark, row, span, labelTop, palette)));
  return {
    traces,
    layout: { ...frame(strips, height, span, options, lines), ...axes, annotations },
    span,
    marks,
    height,
    plot: { left: LEFT, right: labelRoom, height: plot, strips: placed },
  };
}

function frame(
  strips: readonly Strip[],
  height: number,
  [begin, end]: Span,
  options: StripsOptions,
  lines: readonly Layout[],
): Layout {
  const { palette, labelRoom = RIGHT } = options;
  return {
    height,
    uirevision: options.revision,
    shapes: [
      ...(options.phases ?? []).map((phase) => shading(phase, palette)),
      ...lines,
      ...(options.marks ?? []).map((mark) => markLine(mark, palette)),
    ],
    margin: { l: LEFT, r: labelRoom, t: 0, b: BOTTOM, pad: 0 },
    paper_bgcolor: palette.surface,
    plot_bgcolor: palette.surface,
    font: { family: palette.fontText, size: 12, color: palette.ink },
    showlegend: false,
    hovermode: false,
    dragmode: "zoom",
    xaxis: {
      ...axis(palette),
      title: { text: options.xTitle, standoff: 8, font: { size: 12, color: palette.inkFaint } },
      anchor: strips.length > 1 ? `y${strips.length}` : "y",
      range: [begin, end],
      showgrid: false,
      showline: true,
      ticks: "outside",
      ticklen: 4,
      tickcolor: palette.rule,
      linecolor: palette.rule,
    },
  };
}

function axis(palette: ChartPalette): Layout {
  return {
    zeroline: false,
    exponentformat: "none",
    gridcolor: palette.rule,
    gridwidth: 1,
    tickfont: { family: palette.fontFigures, size: 11, color: palette.inkFaint },
  };
}

function upperEnd(strip: Strip): number {
  if (strip.max !== undefined) return strip.max * HEADROOM;
  let highest = 0;
  for (const line of strip.lines) {
    for (const value of line.band?.high ?? line.y) highest = Math.max(highest, value ?? 0);
  }
  highest = highestShown(strip.limits ?? [], highest);
  return highest > 0 ? highest * HEADROOM : 1;
}

function shading({ name, from, to }: Phase, palette: ChartPalette): Layout {
  return {
    type: "rect",
    layer: "below",
    xref: "x",
    yref: "paper",
    x0: from,
    x1: to,
    y0: 0,
    y1: 1,
    line: { width: 0 },
    fillcolor: withAlpha(palette.inkFaint, 0.12),
    label: {
      text: name,
      textposition: "top right",
      padding: 4,
      font: { family: palette.fontText, size: 11, color: palette.inkFaint },
    },
  };
}

/**
 * The layout without the names of phases that are too narrow for them. `shown` is the range of its
 * time axis, which is `width` pixels long.
 */
export function withFittingNames(layout: Layout, width: number, [begin, end]: Span): Layout {
  const fits = ({ x0, x1, label }: Layout): boolean => {
    const { text } = (label ?? {}) as Layout;
    if (typeof text !== "string") return true;
    const part = Math.min(Number(x1), end) - Math.max(Number(x0), begin);
    return (part / (end - begin)) * width >= text.length * LETTER + LETTER_ROOM;
  };
  const shapes = (layout.shapes as Layout[]).map((shape) =>
    fits(shape) ? shape : { ...shape, label: { ...(shape.label as Layout), text: "" } },
  );
  return { ...layout, shapes };
}

function markLine({ at }: Mark, palette: ChartPalette): Layout {
  return {
    type: "line",
    xref: "x",
    yref: "paper",
    x0: at,
    x1: at,
    y0: 0,
    y1: 1,
    line: { color: palette.ink, width: 1, dash: "dot" },
  };
}

/** Next to the line, in a row at the top of the first strip, on the side with more room. */
function markLabel(
  { at, label }: Mark,
  row: number,
  span: Span,
  y: number,
  palette: ChartPalette,
): Layout {
  const early = at - span[0] < span[1] - at;
  return {
    text: label,
    xref: "x",
    yref: "paper",
    x: at,
    y,
    xanchor: early ? "left" : "right",
    yanchor: "top",
    xshift: early ? 4 : -4,
    yshift: -(row % LABEL_ROWS) * LABEL_ROW,
    showarrow: false,
    bgcolor: withAlpha(palette.surface, 0.8),
    font: { family: palette.fontText, size: 11, color: palette.ink },
  };
}

/** The time range around a mark: a fifth of the whole, with the mark in its middle. */
export function aroundMark(at: number, [begin, end]: Span): Span {
  const half = (end - begin) / 10;
  return [Math.max(begin, at - half), Math.min(end, at + half)];
}

/** From where the first line begins to where the last one ends. */
function timeSpan(strips: readonly Strip[]): Span {
  const lines = strips.flatMap((strip) => strip.lines).filter((line) => line.x.length > 0);
  const begin = Math.min(...lines.map((line) => line.x[0] as number));
  const end = Math.max(...lines.map((line) => line.x.at(-1) as number));
  return begin < end ? [begin, end] : [0, 1];
}

function lineTraces(line: DrawnLine, yaxis: string, palette: ChartPalette): Trace[] {
  const { color, dash } = seriesStyle(line.style, palette.ink);
  const shape = line.stepped ? "vh" : "linear";
  const shared = { type: "scatter", mode: "lines", x: line.x, xaxis: "x", yaxis } as const;
  const points: Partial<Trace> = { mode: "markers", marker: { color: color, size: 6 } };
  if (line.points === true) return [{ ...shared, name: line.name, y: line.y, ...points }];
  const main: Trace = {
    ...shared,
    name: line.name,
    y: line.y,
    line: { color: color, width: 1.5, dash, shape },
    connectgaps: false,
    ...(line.points ? { ...points, mode: "lines+markers" } : {}),
  };
  const edge = { width: 0, shape } as const;
  if (line.below) {
    const lower = `${line.name}, lower edge`;
    return [
      { ...shared, name: lower, y: line.below, line: edge, hoverinfo: "skip" },
      { ...main, fill: "tonexty", fillcolor: withAlpha(color, 0.35) },
    ];
  }
  if (!line.band) return [main];
  return [
    { ...shared, name: `${line.name} minimum`, y: line.band.low, line: edge, hoverinfo: "skip" },
    {
      ...shared,
      name: `${line.name} maximum`,
      y: line.band.high,
      line: edge,
      fill: "tonexty",
      fillcolor: withAlpha(color, 0.2),
      hoverinfo: "skip",
    },
    main,
  ];
}

function stripTitle(strip: Strip, upper: number, palette: ChartPalette): Layout {
  return {
    text: `<b>${strip.title}</b>  ${strip.unit}`,
    xref: "paper",
    yref: "paper",
    x: 0,
    y: upper,
    xanchor: "left",
    yanchor: "bottom",
    yshift: 4,
    xshift: 4 - LEFT,
    showarrow: false,
    font: { family: palette.fontText, size: 12, color: palette.ink },
  };
}

/** Stacked lines: areas one upon the other, such as the shares of CPU time. */

type Values = readonly (number | null)[];

/** A line as it is drawn: `y` are sums where it is stacked. */
interface DrawnLine extends Line {
  /** The sum of the stacked lines before it, the lower edge of its area. */
  below?: Values;
}

/** The lines with the sums at which they are drawn; all stacked ones have the same x. */
function stackedUp(lines: readonly Line[]): DrawnLine[] {
  let below: Values = [];
  return lines.map((line) => {
    if (!line.stacked) return line;
    const lower = line.y.map((_, index) => below[index] ?? 0);
    const upper = line.y.map((value, index) => (value ?? 0) + (lower[index] ?? 0));
    below = upper;
    return { ...line, y: upper, below: lower };
  });
}

/** The middle of each area, for its label. */
const middles = (lines: readonly DrawnLine[]): Line[] =>
  lines.map(({ below, ...line }) =>
    below ? { ...line, y: line.y.map((y, index) => ((y ?? 0) + (below[index] ?? 0)) / 2) } : line,
  );
