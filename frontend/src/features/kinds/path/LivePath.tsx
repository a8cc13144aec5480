import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { resultQuery } from "@/api/queries";
import type { Result, RunSummary } from "@/api/shapes";
import { Resolved } from "@/components/feedback/Resolved";
import { formatBytes, useRateUnit } from "@/components/quantities";
import { hasEnded } from "@/components/state/states";
import { trialWords } from "./headline";
import { LegBars } from "./result/LegBars";
import { legBars } from "./result/legRates";
import { legsOf } from "./result/shown";
import { asPath, type Path, type PathParameters, type PathSetting } from "./shapes";

/** How far a run is, and the legs that it has measured; the campaign page draws both ends below. */
export function LivePath({ run, compact }: { run: RunSummary; compact?: boolean }) {
  const { unit } = useRateUnit();
  // The key has what the legs depend on: they are fetched again only when a trial has ended.
  const path = useQuery({
    ...resultQuery(run.id),
    queryKey: [...resultQuery(run.id).queryKey, run.trials_done, run.state],
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: !compact,
  });
  if (compact) return <Progress run={run} />;
  return (
    <div>
      {hasEnded(run.state) ? null : <Progress run={run} />}
      <Resolved query={path} what="legs" rows={6}>
        {(loaded: Result) => {
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
      </Resolved>
    </div>
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

/** The trial, what it measures and the data moved. */
function Progress({ run }: { run: RunSummary }) {
  const { current, trials_done, trials_total, participants } = run;
  const parts = [`Trial ${Math.min(trials_done + 1, trials_total)} of ${trials_total}`];
  if (current) {
    const total = current.total_bytes ? ` of ${formatBytes(current.total_bytes)}` : "";
    parts.push(
      trialWords(current.parameters as PathParameters, participants.length > 2),
      `${formatBytes(current.bytes)}${total}`,
    );
  }
  return <p>{parts.join("; ")}</p>;
}
