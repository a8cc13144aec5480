import type { Matrix } from "@/api/shapes";
import { splitRate } from "@/components/quantities";
import { findCell, type Reading } from "@/features/matrix/reading";
import classes from "./Answer.module.css";

/** What the run found, in one sentence with its figure large and in the reader's unit. Switches of the matrix do not change it. */
export function Answer({ matrix, reading }: { matrix: Matrix; reading: Reading }) {
  const rate = matrix.rates[0] ?? "application";
  const best = findCell(matrix, matrix.best[rate]);
  const mean = best?.[rate]?.mean ?? null;
  if (matrix.headline === null) {
    return <p className={classes.sentence}>There is no answer yet: no cell has been measured.</p>;
  }
  const rest = mean === null ? null : withoutFigure(matrix.headline);
  if (mean === null || rest === null) return <p className={classes.sentence}>{matrix.headline}</p>;
  const { value, unit } = splitRate(mean, reading.unit);
  return (
    <p className={classes.answer}>
      <span className={classes.value}>{value}</span>
      <span className={classes.unit}>{unit}</span> <span className={classes.sentence}>{rest}</span>
    </p>
  );
}

/** What the headline says behind its figure; null when it does not begin with one. */
export function withoutFigure(headline: string): string | null {
  const match = /^[\d.]+\s[kMGTP]?B\/s\s(.+)$/s.exec(headline);
  return match?.[1] ?? null;
}
