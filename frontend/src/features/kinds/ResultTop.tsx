import type { ReactNode } from "react";
import { Notice } from "@/components/feedback/Notice";
import { inUnit, type RateUnit } from "@/components/quantities";
import classes from "./Result.module.css";

/** A sentence of the server, with the exact values of its rates. */
interface Sentence {
  message: string;
  figures?: Record<string, unknown>;
}

interface ResultTopProps {
  answer: ReactNode;
  /** The headline; what its selection among several cells means for its rate stands beside it. */
  headline: { selected?: Sentence | null } | null;
  /** Notices about the run. */
  notices: ReactNode;
  /** The limitations of the result. */
  warnings: readonly ({ code: string } & Sentence)[];
  unit: RateUnit;
}

/** What a result page begins with: the answer, and what limits it. */
export function ResultTop({ answer, headline, notices, warnings, unit }: ResultTopProps) {
  const selected = headline?.selected;
  return (
    <div className={classes.answer}>
      {answer}
      {selected ? (
        <p className={classes.selected}>{inUnit(selected.message, selected.figures, unit)}</p>
      ) : null}
      {notices}
      {warnings.map(({ code, message, figures }) => (
        <Notice key={`${code} ${message}`}>{inUnit(message, figures, unit)}</Notice>
      ))}
    </div>
  );
}
