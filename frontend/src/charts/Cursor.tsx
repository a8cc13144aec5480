import { figure } from "@/components/quantities";
import classes from "./Cursor.module.css";
import { seriesStyle } from "./color";
import type { Figure } from "./figure";
import type { ChartPalette } from "./palette";
import { type CursorPlace, valueAt, valueAtPlace } from "./readout";

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
