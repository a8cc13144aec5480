import type { Matrix } from "@/api/shapes";
import { splitRate } from "@/components/quantities";
import { findCell, type Reading } from "@/features/matrix/reading";
import classes from "./Answer.module.css";

/**
 * What the run found, in one sentence with its figure large and in the reader's unit. It is of the
 * cell that the advice names; switches of the matrix do not change it.
 */
export function Answer({ matrix, reading }: { matrix: Matrix; reading: Reading }) {
  if (matrix.headline === null) {
    return <p className={classes.sentence}>There is no answer yet: no cell has been measured.</p>;
  }
  const rate = matrix.best.durable ? "durable" : "application";
  const mean = findCell(matrix, matrix.advice[rate])?.[rate]?.mean;
  const parts = headlineParts(matrix.headline);
  if (mean === undefined || parts === null) {
    return <p className={classes.sentence}>{matrix.headline}</p>;
  }
  const { value, unit } = splitRate(mean, reading.unit);
  return (
    <div>
      {parts.doubt ? <p className={classes.doubt}>{parts.doubt}:</p> : null}
      <p className={classes.answer}>
        <span className={classes.value}>{value}</span> <span className={classes.unit}>{unit}</span>{" "}
        <span className={classes.sentence}>{parts.rest}</span>
      </p>
    </div>
  );
}

/** What stands before and behind a headline's figure; null when there is none in it. */
export function headlineParts(headline: string): { doubt: string | null; rest: string } | null {
  const match = /^(?:(\D+): )?[\d.]+\s[kMGTP]?B\/s\s(.+)$/s.exec(headline);
  return match?.[2] ? { doubt: match[1] ?? null, rest: match[2] } : null;
}
