import { SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import type { RunParameters } from "@/api/shapes";
import { Empty } from "@/components/feedback/Empty";
import { Notice } from "@/components/feedback/Notice";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import { formatRate, inUnit, type RateUnit, useRateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { Answer } from "@/features/kinds/Answer";
import type { ResultProps } from "@/features/kinds/kind";
import { headlineParts, headlineWords, inputWords } from "@/features/kinds/tool/headline";
import {
  asTools,
  type ToolCell,
  type ToolDefinition,
  type Tools,
  type ToolTrial,
} from "@/features/kinds/tool/shapes";
import { useShownSearch } from "@/features/kinds/useShownSearch";
import { EndsChart } from "@/features/transfers/EndsChart";
import { CommandSection } from "./CommandSection";
import { GrowthChart } from "./GrowthChart";
import { begunOf, cellKey, leadingRate, type ShownSearch, shownIn } from "./shown";
import classes from "./ToolResult.module.css";
import { ToolTable } from "./ToolTable";
import { endsOf } from "./toolSamples";
import { toolStrips } from "./toolStrips";

/** The answer, the tools side by side, and one transfer with its command. */
export function ToolResult({ result, run, ended, children }: ResultProps) {
  const tools = asTools(result);
  const { unit } = useRateUnit();
  const { cell, trial, change, chart } = useShown(tools);
  const ends = useMemo(() => endsOf(tools), [tools]);
  return (
    <>
      <div className={classes.answer}>
        <ToolAnswer tools={tools} unit={unit} ended={ended} />
        {children}
        {tools.warnings.map(({ code, message, figures }) => (
          <Notice key={`${code} ${message}`}>{inUnit(message, figures, unit)}</Notice>
        ))}
      </div>
      {tools.cells.length > 0 ? (
        <Section
          title="Tools side by side"
          hint="The same input from a cold source, up to the end of the final sync; CPU time of both hosts, without what they use anyway."
        >
          <ToolTable
            tools={tools}
            unit={unit}
            selected={cell ? cellKey(cell) : undefined}
            onSelect={(key) => change({ cell: key, repeat: undefined })}
          />
          <PanelBoundary>
            <GrowthChart tools={tools} unit={unit} />
          </PanelBoundary>
        </Section>
      ) : null}
      {cell && trial ? (
        <>
          <div ref={chart} className={classes.trial}>
            <Section
              title={`${cell.title}, ${inputWords(cell)}`}
              action={
                begunOf(cell).length > 1 ? (
                  <SegmentedControl
                    size="xs"
                    aria-label="Repeat"
                    value={String(trial.repeat)}
                    onChange={(repeat) => change({ repeat })}
                    data={begunOf(cell).map(({ repeat }) => ({
                      value: String(repeat),
                      label: `Repeat ${repeat}`,
                    }))}
                  />
                ) : undefined
              }
            >
              {trial.reason ? <Notice>{trial.reason}</Notice> : null}
              <PanelBoundary>
                <EndsChart
                  runId={run.id}
                  trial={trial}
                  rampNs={0}
                  ends={ends}
                  links={false}
                  about={`${cell.title}, ${inputWords(cell)}, repeat ${trial.repeat}`}
                  unit={unit}
                  shows="growth at the sink, network, disks, CPUs and memory"
                  strips={toolStrips}
                />
              </PanelBoundary>
            </Section>
          </div>
          <CommandSection
            cell={cell}
            trial={trial}
            definition={definitionOf(run.parameters, cell.tool)}
          />
          <Section title="Trials">
            <TrialTable
              cell={cell}
              unit={unit}
              selected={trial.id}
              onSelect={({ repeat }) => change({ repeat: String(repeat) })}
            />
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

/** A tool's commands as they were at the launch. */
const definitionOf = (parameters: RunParameters, tool: string): ToolDefinition | undefined => {
  const { definitions } = parameters as { definitions?: ToolDefinition[] };
  return definitions?.find(({ name }) => name === tool);
};

interface AnswerProps {
  tools: Tools;
  unit: RateUnit;
  ended: boolean;
}

function ToolAnswer({ tools: { headline }, unit, ended }: AnswerProps) {
  if (headline === null) {
    const sentence = ended ? "Nothing was measured." : "No result yet: no trial has ended.";
    return <Answer parts={null} sentence={sentence} unit={unit} />;
  }
  return (
    <Answer parts={headlineParts(headline)} sentence={headlineWords(headline, unit)} unit={unit} />
  );
}

interface TrialTableProps {
  cell: ToolCell;
  unit: RateUnit;
  selected: number;
  onSelect: (trial: ToolTrial) => void;
}

/** Every trial of a tool; a row selects the one that is shown. */
function TrialTable({ cell, unit, selected, onSelect }: TrialTableProps) {
  return (
    <FigureTable caption="Trials">
      <thead>
        <tr>
          <th scope="col">Trial</th>
          <th scope="col">Rate</th>
          <th scope="col">Before the sync</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {cell.trials.map((trial) => (
          <tr key={trial.id}>
            <th scope="row">
              {trial.status === "waiting" ? (
                `Repeat ${trial.repeat}`
              ) : (
                <button
                  type="button"
                  title="Show this trial"
                  aria-pressed={trial.id === selected}
                  onClick={() => onSelect(trial)}
                >
                  Repeat {trial.repeat}
                </button>
              )}
            </th>
            <td>{rateText(leadingRate(cell, trial), unit)}</td>
            <td>{cell.rate === "durable" ? rateText(trial.application_bytes_per_s, unit) : "–"}</td>
            <td>
              {[trial.status, ...new Set(trial.flags.map(({ code }) => code))]
                .map((code) => code.replaceAll("_", " "))
                .join("; ")}
            </td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

const rateText = (bytesPerS: number | null, unit: RateUnit): string =>
  bytesPerS === null ? "–" : formatRate(bytesPerS, unit);

/** What the page shows; a change keeps the tool, which may be the default. */
function useShown(tools: Tools) {
  const { search, change, chart } = useShownSearch<ShownSearch>();
  const { cell, trial } = shownIn(tools, search);
  const key = cell ? cellKey(cell) : undefined;
  return {
    cell,
    trial,
    change: (changed: ShownSearch) => change({ cell: key, ...changed }),
    chart,
  };
}
