import { SegmentedControl } from "@mantine/core";
import { useRef, useState } from "react";
import { Empty } from "@/components/feedback/Empty";
import { Notice } from "@/components/feedback/Notice";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import { useRateUnit } from "@/components/quantities";
import type { ResultProps } from "@/features/kinds/kind";
import { trialWords } from "@/features/kinds/sustained/headline";
import { asSustained } from "@/features/kinds/sustained/shapes";
import { Answer } from "./Answer";
import { CarryTable } from "./CarryTable";
import { CellTable } from "./CellTable";
import { Figures } from "./Figures";
import { LatencyCurve } from "./LatencyCurve";
import { Participants } from "./Participants";
import { SlowestList } from "./SlowestList";
import classes from "./SustainedResult.module.css";
import type { Over } from "./strips";
import { type Focus, TrialChart } from "./TrialChart";
import { leadingCell, shownTrial } from "./trialSeries";

/** The answer, the trial over time or data, the rates that it carries, latency and stalls. */
export function SustainedResult({ result, run, ended, children }: ResultProps) {
  const sustained = asSustained(result);
  const { unit } = useRateUnit();
  const [key, setKey] = useState<string | null>(null);
  const [trialId, setTrialId] = useState<number | null>(null);
  const [participant, setParticipant] = useState<number | null>(null);
  const [over, setOver] = useState<Over>("time");
  const [focus, setFocus] = useState<Focus | null>(null);
  const chart = useRef<HTMLDivElement>(null);
  const cell = sustained.cells.find((one) => one.key === key) ?? leadingCell(sustained);
  const trial = cell ? shownTrial(cell, trialId) : null;
  const several = sustained.participants.length > 1;
  const chosen = several ? (participant ?? sustained.participants[0]?.id) : undefined;
  const select = (to: string) => {
    setKey(to);
    setTrialId(null);
  };
  const jump = (to: Omit<Focus, "request">, whose?: number) => {
    setTrialId(to.trialId);
    if (several && whose !== undefined) setParticipant(whose);
    setFocus({ ...to, request: (focus?.request ?? 0) + 1 });
    chart.current?.scrollIntoView({ block: "nearest" });
  };
  const memory = memoryOf(run.conditions);
  const begun = cell?.trials.filter(({ status }) => status !== "waiting") ?? [];
  return (
    <>
      <div className={classes.answer}>
        <Answer result={sustained} unit={unit} ended={ended} />
        {children}
        {sustained.warnings.map((warning) => (
          <Notice key={`${warning.code} ${warning.message}`}>{warning.message}</Notice>
        ))}
      </div>
      {cell && sustained.cells.length > 1 ? (
        <Section title="Cells">
          <CellTable result={sustained} unit={unit} selected={cell.key} onSelect={select} />
        </Section>
      ) : null}
      {cell && trial ? (
        <>
          <div ref={chart}>
            <Section
              title={trialWords(cell)}
              action={
                <div className={classes.switches}>
                  {begun.length > 1 ? (
                    <SegmentedControl
                      size="xs"
                      aria-label="Repeat"
                      value={String(trial.id)}
                      onChange={(id) => setTrialId(Number(id))}
                      data={begun.map(({ id, repeat }) => ({
                        value: String(id),
                        label: `Repeat ${repeat}`,
                      }))}
                    />
                  ) : null}
                  <SegmentedControl
                    size="xs"
                    aria-label="Horizontal axis"
                    value={over}
                    onChange={(value) => setOver(value as Over)}
                    data={[
                      { value: "time", label: "Time" },
                      { value: "data", label: "Data written" },
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
                  selected={chosen}
                  onSelect={setParticipant}
                />
              ) : null}
              <PanelBoundary>
                <TrialChart
                  runId={run.id}
                  trial={trial}
                  participant={chosen}
                  over={over}
                  memory={memory}
                  unit={unit}
                  focus={focus}
                />
              </PanelBoundary>
            </Section>
          </div>
          {cell.carry.length > 0 ? (
            <Section
              title="Will it carry"
              hint="Whether the storage keeps up with a constant rate, and the memory that bridges its stalls: the largest backlog of a queue fed at that rate. Peak × rate misses stalls that follow each other."
            >
              <CarryTable
                carry={cell.carry}
                unit={unit}
                onJump={({ decides }) =>
                  decides && jump({ trialId: decides.trial_id, ns: decides.begin_ns })
                }
              />
            </Section>
          ) : null}
          <div className={classes.pair}>
            <Section title="Operation latency">
              <PanelBoundary>
                <LatencyCurve cell={cell} filename={`run-${run.id}-latency-${cell.key}`} />
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
            <Figures cell={cell} trial={trial} unit={unit} />
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

/** The bytes that the host may cache; 0 if unknown, or if several hosts differ. */
function memoryOf(conditions: Record<string, unknown>): number {
  const { mem_limit_bytes: bytes } = conditions;
  return typeof bytes === "number" ? bytes : 0;
}
