import type { ReactNode } from "react";
import type { Result, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { hasEnded } from "@/components/state/states";
import { useLiveResult } from "./useLiveResult";

type Current = NonNullable<RunSummary["current"]>;

interface LiveResultProps {
  run: RunSummary;
  compact: boolean | undefined;
  /** What is being loaded, and the rows that it takes. */
  what: string;
  rows: number;
  /** What the current trial measures, and how far it is. */
  describe(current: Current): string[];
  children(result: Result): ReactNode;
}

/** How far a run is and, unless `compact`, what it has measured. */
export function LiveResult({ run, compact, what, rows, describe, children }: LiveResultProps) {
  const result = useLiveResult(run, !compact);
  const { current, trials_done, trials_total } = run;
  const trial = `Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`;
  const progress = <p>{[trial, ...(current ? describe(current) : [])].join("; ")}</p>;
  if (compact) return progress;
  return (
    <div>
      {hasEnded(run.state) ? null : progress}
      <Resolved query={result} what={what} rows={rows}>
        {children}
      </Resolved>
    </div>
  );
}
