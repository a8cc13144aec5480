import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { runVerdictQuery } from "@/api/queries";
import type { Run, VerdictRow } from "@/api/shapes";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import {
  figure,
  formatBytes,
  formatDuration,
  useRateUnit,
  wordsText,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import type { ResultProps } from "@/features/kinds/kind";
import { NoTrial, RepeatSwitch, ResultTop } from "@/features/kinds/ResultParts";
import shared from "@/features/kinds/ResultParts.module.css";
import { begunOf } from "@/features/kinds/results";
import {
  asSustained,
  capital,
  cellWords,
  type Direction,
  dataWords,
  directionsOf,
  operationOf,
  type Recovery,
  type Sustained,
  type SustainedCell,
  type SustainedTrial,
} from "@/features/kinds/sustained/sustained";
import { type DrawnLimits, drawnLimits } from "@/features/verdicts/limits";
import { CellTable } from "./CellTable";
import { ComparedModes } from "./ComparedModes";
import { DirectionSections } from "./DirectionSections";
import { Participants } from "./Participants";
import { SweepChart } from "./SweepChart";
import { memoryOf, type Over, unsaid, useShown } from "./shown";
import { sweepsDepth } from "./sweep";
import { type Focus, TrialChart } from "./TrialChart";

/** The answer, the trial over time or data, the rates that it carries, latency and stalls. */
export function SustainedResult({ result, run, ended, children }: ResultProps) {
  const sustained = asSustained(result);
  const operation = operationOf([sustained]);
  const { unit } = useRateUnit();
  const { cell, trial, participant, over, change, chart } = useShown(sustained);
  const directions = directionsOf(sustained);
  const shown = directions.flatMap((one) => partOf(one, directions[0], cell, trial, participant));
  const [focus, setFocus] = useState<Focus | null>(null);
  const several = (directions[0]?.participants.length ?? 0) > 1;
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
  const [first, second] = shown;
  return (
    <>
      <ResultTop
        headline={sustained.headline}
        ended={ended}
        absent={absentWords(sustained, ended)}
        notices={children}
        warnings={unsaid(sustained)}
        unit={unit}
      />
      {cell && sustained.cells.length > 1 ? (
        <Section title="Cells" hint={cell.repeats_total > 1 ? REPEATS_HINT : undefined}>
          <PanelBoundary>
            <SweepChart result={sustained} unit={unit} filename={`run-${run.id}-cells`} />
          </PanelBoundary>
          <CellTable
            result={sustained}
            unit={unit}
            selected={cell.key}
            onSelect={(key) => change({ cell: key, repeat: undefined })}
          />
        </Section>
      ) : null}
      {cell ? (
        <ComparedModes
          directions={directions}
          cell={cell}
          participant={participant}
          whose={several ? nameOf(sustained, participant) : null}
          memory={memory}
          unit={unit}
        />
      ) : null}
      {sustained.recovery ? (
        <Section title="Recovery" hint={wordsText(sustained.recovery.words, unit)}>
          <RecoveryTable
            recovery={sustained.recovery}
            selected={trial?.id}
            onSelect={(id) => {
              const of = sustained.cells.find(({ trials }) => trials.some((one) => one.id === id));
              const repeat = of?.trials.find((one) => one.id === id)?.repeat;
              change({ cell: of?.key, repeat: repeat === undefined ? undefined : String(repeat) });
            }}
          />
        </Section>
      ) : null}
      {cell && trial ? (
        <>
          <div ref={chart} className={shared.trial}>
            <Section
              title={cellWords(cell, sweepsDepth(sustained))}
              action={
                <div className={shared.switches}>
                  <RepeatSwitch
                    trials={begunOf(cell)}
                    shown={trial.repeat}
                    onChange={(repeat) => change({ repeat })}
                  />
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
              {several
                ? shown.map(({ direction, trial: own }) =>
                    own.participants.length > 0 ? (
                      <Participants
                        key={direction.operation}
                        result={direction}
                        trial={own}
                        unit={unit}
                        selected={participant}
                        onSelect={(id) => change({ participant: String(id) })}
                      />
                    ) : null,
                  )
                : null}
              <PanelBoundary>
                {first ? (
                  <TrialChart
                    runId={run.id}
                    parts={second ? [first, second] : [first]}
                    whose={several ? nameOf(sustained, participant) : null}
                    over={over}
                    memory={memory}
                    unit={unit}
                    limits={limits}
                    focus={focus}
                  />
                ) : null}
              </PanelBoundary>
            </Section>
          </div>
          {shown.map((one) => (
            <DirectionSections
              key={one.operation}
              runId={run.id}
              operation={one.operation}
              random={sustained.access === "random"}
              named={shown.length > 1}
              cell={one.cell}
              trial={one.trial}
              unit={unit}
              reader={run.read_back_by?.host.name}
              nameOf={several ? (id) => nameOf(sustained, id) : undefined}
              onJump={(to, whose) => jump({ ...to, operation: one.operation }, whose)}
            />
          ))}
        </>
      ) : (
        <NoTrial ended={ended} />
      )}
    </>
  );
}

const REPEATS_HINT =
  "Rates are means of the repeats; the chart's bands are their 95\u00a0% confidence intervals. Latencies are of all repeats together.";

/** What is shown of a direction: of several targets, the participant on the chosen one. */
function partOf(
  direction: Direction,
  first: Direction | undefined,
  cell: SustainedCell | null,
  trial: SustainedTrial | null,
  participant: number | undefined,
) {
  const own = direction.cells.find(({ key }) => key === cell?.key);
  const ofTrial = own?.trials.find(({ id }) => id === trial?.id);
  if (!own || !ofTrial) return [];
  const place = Math.max(0, first?.participants.findIndex(({ id }) => id === participant) ?? 0);
  return [
    {
      direction,
      operation: direction.operation,
      cell: own,
      trial: ofTrial,
      participant: participant === undefined ? undefined : direction.participants[place]?.id,
    },
  ];
}

const NO_ROWS: VerdictRow[] = [];

/**
 * The limits that the run's verdict sets for a cell. A rate is that of all participants together,
 * so its limit is not drawn over one of several; nor is that of the reads or the writes of a mixed
 * test drawn over both.
 */
function useLimits(run: Run, cell: SustainedCell | null, several: boolean): DrawnLimits {
  const verdict = useQuery({ ...runVerdictQuery(run.id), enabled: run.verdict !== null });
  const rows = verdict.data?.rows ?? NO_ROWS;
  return useMemo(() => {
    const limits = drawnLimits(
      rows,
      ({ trial_id }) => cell?.trials.some(({ id }) => id === trial_id) ?? false,
    );
    if (several) return { ...limits, throughput: [] };
    if (cell?.operation !== "mixed") return limits;
    return { ...limits, throughput: limits.throughput.filter(({ label }) => isOfWhole(label)) };
  }, [rows, cell, several]);
}

/** Whether a limit is of both directions of a mixed test, as its chart is. */
const isOfWhole = (label: string): boolean => label.startsWith("app.");

/** "web-1 /mnt/a" */
function nameOf({ participants }: Sustained, id: number | undefined): string | null {
  const found = participants.find((one) => one.id === id);
  return found ? `${found.host} ${found.path ?? ""}`.trim() : null;
}

/** In place of a headline: also that trials began, but none was completed. */
function absentWords({ cells }: Sustained, ended: boolean): string | undefined {
  const hasBegun = cells.some(({ trials }) => trials.some(({ bytes }) => bytes > 0));
  return ended && hasBegun ? "No result: no trial was completed." : undefined;
}

interface RecoveryTableProps {
  recovery: Recovery;
  /** The trial that is shown below. */
  selected: number | undefined;
  onSelect: (trialId: number) => void;
}

/** What each rest restored of the data that the storage took before its first cliff. */
function RecoveryTable({ recovery, selected, onSelect }: RecoveryTableProps) {
  return (
    <FigureTable caption="Recovery after each rest">
      <thead>
        <tr>
          <th scope="col">Rest</th>
          <th scope="col">At the first rate</th>
          <th scope="col">Of the first</th>
        </tr>
      </thead>
      <tbody>
        {recovery.rests.map((rest) => (
          <tr key={rest.trial_id}>
            <th scope="row">
              <RowButton
                selected={rest.trial_id === selected}
                onSelect={() => onSelect(rest.trial_id)}
              >
                {formatDuration(rest.rest_ns / 1e9)}
              </RowButton>
            </th>
            <td>{restoredText(rest)}</td>
            <td>
              {rest.share === null ? "–" : `${least(rest)}${figure(rest.share * 100)}\u00a0%`}
            </td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

type Rest = Recovery["rests"][number];

const least = ({ restored }: Rest): string => (restored === "at_least" ? "≥\u00a0" : "");

/** "1.07 GB"; "≥ 1.00 GB" if the trial ended before it fell; or why it is unknown. */
export const restoredText = (rest: Rest): string =>
  rest.bytes === null
    ? "the cache was not full before"
    : `${least(rest)}${formatBytes(rest.bytes)}`;
