import type { ReactNode } from "react";
import { Notice } from "@/components/feedback/Notice";
import { inUnit, type RateUnit } from "@/components/quantities";
import classes from "./Result.module.css";

interface ResultTopProps {
  answer: ReactNode;
  /** Notices about the run. */
  notices: ReactNode;
  /** The limitations of the result. */
  warnings: readonly { code: string; message: string; figures?: Record<string, unknown> }[];
  unit: RateUnit;
}

/** What a result page begins with: the answer, and what limits it. */
export function ResultTop({ answer, notices, warnings, unit }: ResultTopProps) {
  return (
    <div className={classes.answer}>
      {answer}
      {notices}
      {warnings.map(({ code, message, figures }) => (
        <Notice key={`${code} ${message}`}>{inUnit(message, figures, unit)}</Notice>
      ))}
    </div>
  );
}
