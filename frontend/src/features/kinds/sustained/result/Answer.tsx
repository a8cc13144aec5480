import { type RateUnit, splitRate } from "@/components/quantities";
import { headlineParts, headlineWords } from "@/features/kinds/sustained/headline";
import type { Sustained } from "@/features/kinds/sustained/shapes";
import classes from "./SustainedResult.module.css";

type Props = { result: Sustained; unit: RateUnit; ended: boolean };

/** What the run found in one sentence; a cliff is named with both levels in place of a figure. */
export function Answer({ result: { headline }, unit, ended }: Props) {
  if (headline === null) {
    return (
      <p className={classes.sentence}>
        {ended ? "Nothing was measured." : "No result yet: no trial has ended."}
      </p>
    );
  }
  const parts = headlineParts(headline, unit);
  if (parts === null) return <p className={classes.sentence}>{headlineWords(headline, unit)}</p>;
  const shown = splitRate(parts.bytesPerS, unit);
  return (
    <div>
      {parts.doubt ? <p className={classes.doubt}>{parts.doubt}:</p> : null}
      <p className={classes.line}>
        <span className={classes.value}>{shown.value}</span>{" "}
        <span className={classes.unit}>{shown.unit}</span>{" "}
        <span className={classes.sentence}>{parts.rest}</span>
      </p>
    </div>
  );
}
