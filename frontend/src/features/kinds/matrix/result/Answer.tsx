import { splitRate } from "@/components/quantities";
import { headlineParts, headlineWords } from "@/features/kinds/matrix/headline";
import type { Reading } from "@/features/kinds/matrix/reading";
import type { Matrix } from "@/features/kinds/matrix/shapes";
import classes from "./Answer.module.css";

/** `ended`: nothing will be measured any more. */
type Props = { matrix: Matrix; reading: Reading; ended: boolean };

/**
 * What the run found, in one sentence with its figure large and in the reader's unit. It is of the
 * cheapest cell within noise of the best; switches of the matrix do not change it.
 */
export function Answer({ matrix, reading, ended }: Props) {
  if (matrix.headline === null) {
    return (
      <p className={classes.sentence}>
        {ended ? "Nothing was measured." : "No result yet: no cell has been measured."}
      </p>
    );
  }
  const parts = headlineParts(matrix.headline, reading.unit);
  if (parts === null) {
    // no figure stands large where the rate did not hold, or where there is none
    return <p className={classes.sentence}>{headlineWords(matrix.headline, reading.unit)}</p>;
  }
  const { value, unit } = splitRate(parts.bytesPerS, reading.unit);
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
