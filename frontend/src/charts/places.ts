import type { Figure, Place } from "./figure";

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
