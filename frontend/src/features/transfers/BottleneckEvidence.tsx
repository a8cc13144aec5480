import { inUnit, type RateUnit } from "@/components/quantities";
import classes from "./BottleneckEvidence.module.css";
import type { Bottleneck } from "./shapes";

/** What limits a transfer, in one sentence, and the evidence for it. */
export function BottleneckEvidence({
  bottleneck: { sentence, evidence },
  unit,
}: {
  bottleneck: Bottleneck;
  unit: RateUnit;
}) {
  return (
    <>
      <p className={classes.limit}>{sentence}</p>
      {evidence.length > 0 ? (
        <ul className={classes.evidence} aria-label="Evidence">
          {evidence.map(({ code, message, figures }) => (
            <li key={`${code} ${message}`}>{inUnit(message, figures, unit)}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
