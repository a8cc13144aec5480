import { figure } from "@/components/quantities";
import classes from "./Cursor.module.css";
import { seriesStyle } from "./color";
import type { ChartPalette, Figure, Line, Place, Span } from "./figure";

interface CursorProps {
  plot: Figure["plot"];
  palette: ChartPalette;
  place: CursorPlace;
}

/** A vertical line through all strips, with the values at that time next to each strip's title. */
export function Cursor({ plot, palette, place }: CursorProps) {
  const { pixels, time, text } = place;
  const read = plot.places ? valueAtPlace : valueAt;
  return (
    <div className={classes.overlay} aria-hidden="true">
      <div className={classes.line} style={{ left: pixels, height: plot.height }} />
      {plot.strips.map((strip) => (
        <p
          key={strip.title}
          className={classes.values}
          style={{ top: strip.top, left: plot.left + 72 }}
        >
          {strip.lines.map((line) => {
            const value = read(line, time);
            return value === null ? null : (
              <span key={line.name}>
                <span
                  className={classes.swatch}
                  style={{ background: seriesStyle(line.style, palette.ink).color }}
                />
                {strip.lines.length > 1 ? `${line.name} ` : null}
                <b>{figure(value)}</b>
              </span>
            );
          })}
        </p>
      ))}
      <p className={classes.time} style={{ left: pixels, top: plot.height }}>
        {text}
      </p>
    </div>
  );
}

/** The values shown by the cursor: the time at a position, and the lines' values at a time. */

/** The time at `pixels` from the picture's left; null outside the plot. */
export function timeAt(
  pixels: number,
  plot: { left: number; right: number },
  width: number,
  [from, to]: Span,
): number | null {
  const across = width - plot.left - plot.right;
  const share = (pixels - plot.left) / across;
  return across > 0 && share >= 0 && share <= 1 ? from + share * (to - from) : null;
}

/** Where the cursor stands: pixels from the picture's left, its time, and that in words. */
export interface CursorPlace {
  pixels: number;
  time: number;
  text: string;
}

/** The cursor for a pointer: at its time, or at the nearest place of an axis that has only places. */
export function cursorAt(
  pixels: number,
  plot: { left: number; right: number; places?: readonly Place[] },
  width: number,
  [from, to]: Span,
): CursorPlace | null {
  const time = timeAt(pixels, plot, width, [from, to]);
  if (time === null) return null;
  if (!plot.places) return { pixels, time, text: figure(time) };
  const distance = ({ at }: Place) => Math.abs(at - time);
  const [nearest] = plot.places
    .filter(({ at }) => from <= at && at <= to)
    .sort((a, b) => distance(a) - distance(b));
  if (!nearest) return null;
  const share = (nearest.at - from) / (to - from);
  const across = width - plot.left - plot.right;
  return { pixels: plot.left + share * across, time: nearest.at, text: nearest.text };
}

/** A line's value exactly at a place of its axis; null if it has none there. */
export const valueAtPlace = ({ x, y }: Pick<Line, "x" | "y">, at: number): number | null =>
  y[x.indexOf(at)] ?? null;

/** A line's value at a time: that of the interval that contains the time; null outside the line. */
export function valueAt({ x, y }: Pick<Line, "x" | "y">, time: number): number | null {
  if (x.length === 0 || time < (x[0] as number)) return null;
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low < x.length ? (y[low] ?? null) : null;
}
