/** What a chart of strips shows, and what plotly draws of it. */
import type { Layout, Trace } from "plotly.js-basic-dist-min";
import type { Limit } from "./limitLines";

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
