import type { RunSummary } from "@/api/shapes";
import { useRateUnit } from "@/components/quantities";
import { LiveResult } from "@/features/kinds/LiveResult";
import { useOpenResult } from "@/features/kinds/useOpenResult";
import { trialWords } from "./headline";
import { ToolTable } from "./result/ToolTable";
import { asTools, type ToolParameters } from "./shapes";

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
