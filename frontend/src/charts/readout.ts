import type { Line } from "./strips";

/** The values shown by the cursor: the time at a position, and the lines' values at a time. */

/** The time at `pixels` from the picture's left; null outside the plot. */
export function timeAt(
  pixels: number,
  plot: { left: number; right: number },
  width: number,
  [from, to]: readonly [number, number],
): number | null {
  const across = width - plot.left - plot.right;
  const share = (pixels - plot.left) / across;
  return across > 0 && share >= 0 && share <= 1 ? from + share * (to - from) : null;
}

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
