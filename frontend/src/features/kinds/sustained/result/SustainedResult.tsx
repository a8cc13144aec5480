import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { runVerdictQuery } from "@/api/queries";
import type { Run, VerdictRow } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { Notice } from "@/components/feedback/Notice";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import { useRateUnit } from "@/components/quantities";
import type { ResultProps } from "@/features/kinds/kind";
import { trialWords } from "@/features/kinds/sustained/headline";
import { asSustained, type Sustained, type SustainedCell } from "@/features/kinds/sustained/shapes";
import { capital, dataWords } from "@/features/kinds/sustained/words";
import { type DrawnLimits, drawnLimits } from "@/features/verdicts/limits";
import { CarryTable } from "./CarryTable";
import { CellTable } from "./CellTable";
import { Figures } from "./Figures";
import { FrameTable } from "./FrameTable";
import { LatencyCurve } from "./LatencyCurve";
import { Participants } from "./Participants";
import { SlowestList } from "./SlowestList";
import { SustainedAnswer } from "./SustainedAnswer";
import classes from "./SustainedResult.module.css";
import { memoryOf } from "./shown";
import type { Over } from "./strips";
import { type Focus, TrialChart } from "./TrialChart";
import { useShown } from "./useShown";

/** The answer, the trial over time or data, the rates that it carries, latency and stalls. */
export function SustainedResult({ result, run, ended, children }: ResultProps) {
  const sustained = asSustained(result);
  const { operation } = sustained;
  const { unit } = useRateUnit();
  const { cell, trial, participant, over, change, chart } = useShown(sustained);
  const [focus, setFocus] = useState<Focus | null>(null);
  const several = sustained.participants.length > 1;
  const jump = (to: Omit<Focus, "request">, whose?: number) => {
    const repeat = cell?.trials.find(({ id }) => id === to.trialId)?.repeat;
    change({
      repeat: repeat === undefined ? undefined : String(repeat),
      ...(several && whose !== undefined ? { participant: String(whose) } : {}),
    });
    setFocus({ ...to, request: (focus?.request ?? 0) + 1 });
    chart.current?.scrollIntoView({ block: "nearest" });
  };
  const limits = useLimits(run, cell, several);
  const memory = memoryOf(run);
  const begun = cell?.trials.filter(({ status }) => status !== "waiting") ?? [];
  return (
    <>
      <div className={classes.answer}>
        <SustainedAnswer result={sustained} unit={unit} ended={ended} />
        {children}
        {sustained.warnings.map((warning) => (
          <Notice key={`${warning.code} ${warning.message}`}>{warning.message}</Notice>
        ))}
      </div>
      {cell && sustained.cells.length > 1 ? (
        <Section title="Cells">
          <CellTable
            result={sustained}
            unit={unit}
            selected={cell.key}
            onSelect={(key) => change({ cell: key, repeat: undefined })}
          />
        </Section>
      ) : null}
      {cell && trial ? (
        <>
          <div ref={chart} className={classes.trial}>
            <Section
              title={trialWords(cell)}
              action={
                <div className={classes.switches}>
                  {begun.length > 1 ? (
                    <SegmentedControl
                      size="xs"
                      aria-label="Repeat"
                      value={String(trial.repeat)}
                      onChange={(repeat) => change({ repeat })}
                      data={begun.map(({ repeat }) => ({
                        value: String(repeat),
                        label: `Repeat ${repeat}`,
                      }))}
                    />
                  ) : null}
                  <SegmentedControl
                    size="xs"
                    aria-label="Horizontal axis"
                    value={over}
                    onChange={(value) => change({ over: value as Over })}
                    data={[
                      { value: "time", label: "Time" },
                      { value: "data", label: capital(dataWords(operation)) },
                      ...(memory > 0 ? [{ value: "memory", label: "Share of memory" }] : []),
                    ]}
                  />
                </div>
              }
            >
              {several && trial.participants.length > 0 ? (
                <Participants
                  result={sustained}
                  trial={trial}
                  unit={unit}
                  selected={participant}
                  onSelect={(id) => change({ participant: String(id) })}
                />
              ) : null}
              <PanelBoundary>
                <TrialChart
                  runId={run.id}
                  operation={operation}
                  trial={trial}
                  participant={participant}
                  whose={several ? nameOf(sustained, participant) : null}
                  over={over}
                  memory={memory}
                  unit={unit}
                  limits={limits}
                  focus={focus}
                />
              </PanelBoundary>
            </Section>
          </div>
          {cell.carry.length > 0 ? (
            <Section
              title="Will it carry"
              hint={several ? `${CARRY_HINTS[operation]} ${EVENLY}` : CARRY_HINTS[operation]}
            >
              <CarryTable
                carry={cell.carry}
                unit={unit}
                nameOf={several ? (id) => nameOf(sustained, id) : undefined}
                onJump={({ decides }) =>
                  decides &&
                  jump(
                    { trialId: decides.trial_id, ns: decides.begin_ns },
                    decides.participant_id ?? undefined,
                  )
                }
              />
            </Section>
          ) : null}
          {trial.frames ? (
            <Section title="Dropped frames" hint={FRAME_HINTS[operation]}>
              <FrameTable
                operation={operation}
                cell={cell}
                frames={trial.frames}
                gaps={trial.gaps.length > 0}
              />
            </Section>
          ) : null}
          <div className={classes.pair}>
            <Section title="Operation latency">
              <PanelBoundary>
                <LatencyCurve
                  operation={operation}
                  cell={cell}
                  filename={`run-${run.id}-latency-${cell.key}`}
                />
              </PanelBoundary>
            </Section>
            <Section title="Slowest operations">
              {cell.slowest.length > 0 ? (
                <SlowestList
                  slowest={cell.slowest}
                  onJump={({ trial_id, end_ns, participant_id }) =>
                    jump({ trialId: trial_id, ns: end_ns }, participant_id)
                  }
                />
              ) : (
                <Empty title="No operations">No trial has ended.</Empty>
              )}
            </Section>
          </div>
          <Section title="Figures">
            <Figures operation={operation} cell={cell} trial={trial} unit={unit} />
          </Section>
        </>
      ) : (
        <Empty title="No trial to show">
          {ended
            ? "The run ended before its first trial."
            : "Details appear when the first trial starts."}
        </Empty>
      )}
    </>
  );
}

const CARRY_HINTS = {
  write:
    "Whether the storage keeps up with a constant rate, and the memory that bridges its stalls: the largest backlog of a queue fed at that rate. Peak × rate misses stalls that follow each other.",
  read: "Whether playout at a constant rate is kept supplied, and the data that must be read ahead to bridge the stalls. Peak × rate misses stalls that follow each other.",
};

const FRAME_HINTS = {
  write:
    "What a camera would have lost that delivers frames at this rate into so much memory: a frame that arrives while all of it is taken. The calls as they were recorded: with the page cache, they return before the device has the data.",
  read: "What a player would have lost that shows frames at this rate and reads so many ahead: a frame that is not complete when it is due. The calls as they were recorded: what a cache holds is read faster than from the device.",
};

const EVENLY =
  "The load is spread evenly, so the slowest participant decides; the aggregate margin holds if each takes what it can. Only the time in which all ran is judged.";

const NO_ROWS: VerdictRow[] = [];

/**
 * The limits that the run's verdict sets for a cell. A rate is that of all participants together,
 * so its limit is not drawn over one of several.
 */
function useLimits(run: Run, cell: SustainedCell | null, several: boolean): DrawnLimits {
  const verdict = useQuery({ ...runVerdictQuery(run.id), enabled: run.verdict !== null });
  const rows = verdict.data?.rows ?? NO_ROWS;
  return useMemo(() => {
    const limits = drawnLimits(
      rows,
      ({ trial_id }) => cell?.trials.some(({ id }) => id === trial_id) ?? false,
    );
    return several ? { ...limits, throughput: [] } : limits;
  }, [rows, cell, several]);
}

/** "web-1 /mnt/a" */
function nameOf({ participants }: Sustained, id: number | undefined): string | null {
  const found = participants.find((one) => one.id === id);
  return found ? `${found.host} ${found.path ?? ""}`.trim() : null;
}
