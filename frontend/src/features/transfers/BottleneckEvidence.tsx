import type { PathSetting } from "@/features/kinds/path/shapes";
import classes from "./PathResult.module.css";

/** What limits a transfer, in one sentence, and the evidence for it. */
export function BottleneckEvidence({
  bottleneck: { sentence, evidence },
}: {
  bottleneck: NonNullable<PathSetting["bottleneck"]>;
}) {
  return (
    <>
      <p className={classes.limit}>{sentence}</p>
      {evidence.length > 0 ? (
        <ul className={classes.evidence} aria-label="Evidence">
          {evidence.map(({ code, message }) => (
            <li key={`${code} ${message}`}>{message}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
