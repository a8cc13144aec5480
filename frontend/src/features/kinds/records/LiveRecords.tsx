import type { RunSummary } from "@/api/shapes";
import { useRateUnit } from "@/components/quantities";
import { LiveResult, useOpenResult } from "@/features/kinds/LiveResult";
import { asRecords, lengthWords, type RecordsParameters } from "./records";
import { CellTable } from "./result/CellTable";

/** How far a run is, and the record lengths that it has measured. */
export function LiveRecords({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  const openResult = useOpenResult(run.id);
  return (
    <LiveResult
      run={run}
      compact={compact}
      what="record lengths"
      rows={4}
      describe={({ parameters }) => [lengthWords((parameters as RecordsParameters).record_bytes)]}
    >
      {(loaded) => (
        <CellTable
          records={asRecords(loaded)}
          unit={unit}
          onSelect={(length) => openResult({ length: String(length) })}
        />
      )}
    </LiveResult>
  );
}
