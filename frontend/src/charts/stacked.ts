import type { Line } from "./figure";

/** Stacked lines: areas one upon the other, such as the shares of CPU time. */

type Values = readonly (number | null)[];

/** A line as it is drawn: `y` are sums where it is stacked. */
export interface DrawnLine extends Line {
  /** The sum of the stacked lines before it, the lower edge of its area. */
  below?: Values;
}

/** The lines with the sums at which they are drawn; all stacked ones have the same x. */
export function stackedUp(lines: readonly Line[]): DrawnLine[] {
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
export const middles = (lines: readonly DrawnLine[]): Line[] =>
  lines.map(({ below, ...line }) =>
    below ? { ...line, y: line.y.map((y, index) => ((y ?? 0) + (below[index] ?? 0)) / 2) } : line,
  );
