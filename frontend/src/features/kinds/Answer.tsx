import { type RateUnit, splitIops, splitRate } from "@/components/quantities";
import figures from "@/components/quantities/Quantities.module.css";
import classes from "./Answer.module.css";
import type { HeadlineParts } from "./headline";

interface AnswerProps {
  /** The headline around its figure; null if no single figure describes the result. */
  parts: HeadlineParts | null;
  /** What the answer is without a figure. */
  sentence: string;
  unit: RateUnit;
}

/** What a run found in one sentence, with its figure large and in the reader's unit. */
export function Answer({ parts, sentence, unit }: AnswerProps) {
  if (parts === null) return <p className={classes.sentence}>{sentence}</p>;
  const shown =
    parts.quantity ??
    (parts.iops === undefined ? splitRate(parts.bytesPerS, unit) : splitIops(parts.iops));
  return (
    <div>
      {parts.doubt ? <p className={classes.doubt}>{parts.doubt}:</p> : null}
      <p className={classes.answer}>
        <span className={figures.value}>{shown.value}</span>{" "}
        <span className={figures.unit}>{shown.unit}</span>{" "}
        <span className={classes.sentence}>{parts.rest}</span>
      </p>
    </div>
  );
}
