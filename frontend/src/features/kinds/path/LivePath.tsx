import type { RunSummary } from "@/api/shapes";
import { formatBytes, useRateUnit } from "@/components/quantities";
import { LiveResult } from "@/features/kinds/LiveResult";
import { asPath, type Path, type PathParameters, type PathSetting, trialWords } from "./path";
import { LegBars, legBars } from "./result/LegBars";
import { legsOf } from "./result/shown";

/** How far a run is, and the legs that it has measured; the campaign page draws both ends below. */
export function LivePath({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  return (
    <LiveResult
      run={run}
      compact={compact}
      what="legs"
      rows={6}
      describe={(current) => describe(current, run.participants.length > 2)}
    >
      {(loaded) => {
        const setting = settingOf(asPath(loaded), run.current?.parameters);
        if (!setting) return null;
        return (
          <LegBars
            legs={legBars(legsOf(asPath(loaded), setting), setting, unit)}
            expected={setting.expected_bytes_per_s}
            unit={unit}
          />
        );
      }}
    </LiveResult>
  );
}

/** The setting that is being measured, else the best one. */
export function settingOf(result: Path, current: object | undefined): PathSetting | undefined {
  const { block, streams } = (current ?? {}) as Partial<PathParameters>;
  return (
    result.settings.find((one) => one.block === block && (!streams || one.streams === streams)) ??
    result.settings[result.best ?? 0]
  );
}

/** What a trial measures, and the data moved. */
function describe(current: NonNullable<RunSummary["current"]>, several: boolean) {
  const total = current.total_bytes ? ` of ${formatBytes(current.total_bytes)}` : "";
  return [
    trialWords(current.parameters as PathParameters, several),
    `${formatBytes(current.bytes)}${total}`,
  ];
}
