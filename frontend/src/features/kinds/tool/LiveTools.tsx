import type { RunSummary } from "@/api/shapes";
import { useRateUnit } from "@/components/quantities";
import { LiveResult, useOpenResult } from "@/features/kinds/LiveResult";
import { ToolTable } from "./result/ToolTable";
import { asTools, type ToolParameters, trialWords } from "./tool";

/** How far a run is, and the tools that it has measured. */
export function LiveTools({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  const openResult = useOpenResult(run.id);
  return (
    <LiveResult
      run={run}
      compact={compact}
      what="tools"
      rows={4}
      describe={({ parameters }) => [trialWords(parameters as ToolParameters)]}
    >
      {(loaded) => (
        <ToolTable tools={asTools(loaded)} unit={unit} onSelect={(cell) => openResult({ cell })} />
      )}
    </LiveResult>
  );
}
