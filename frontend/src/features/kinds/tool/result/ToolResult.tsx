import { useMemo } from "react";
import type { RunParameters } from "@/api/shapes";
import { Notice } from "@/components/feedback/Notices";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import { type RateUnit, rateText, useRateUnit } from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import type { ResultProps } from "@/features/kinds/kind";
import { NoTrial, RepeatSwitch, ResultTop, useShownSearch } from "@/features/kinds/ResultParts";
import shared from "@/features/kinds/ResultParts.module.css";
import { begunOf, statusWords } from "@/features/kinds/results";
import {
  asTools,
  inputWords,
  type ToolCell,
  type ToolDefinition,
  type Tools,
  type ToolTrial,
} from "@/features/kinds/tool/tool";
import { EndsChart } from "@/features/transfers/EndsChart";
import { CommandSection } from "./CommandSection";
import { GrowthChart, toolStrips } from "./GrowthChart";
import { cellKey, leadingRate, type ShownSearch, shownIn } from "./shown";
import classes from "./ToolResult.module.css";
import { ToolTable } from "./ToolTable";
import { endsOf } from "./toolSamples";

/** The answer, the tools side by side, and one transfer with its command. */
export function ToolResult({ result, run, ended, children }: ResultProps) {
  const tools = asTools(result);
  const { unit } = useRateUnit();
  const { cell, trial, change, chart } = useShown(tools);
  const ends = useMemo(() => endsOf(tools), [tools]);
  return (
    <>
      <ResultTop
        headline={tools.headline}
        ended={ended}
        notices={children}
        warnings={tools.warnings}
        unit={unit}
      />
      {tools.cells.length > 0 ? (
        <Section
          title="Tools side by side"
          hint="The same input from a cold source, up to the end of the final sync; CPU time of both hosts, without their idle use."
        >
          <ToolTable
            tools={tools}
            unit={unit}
            selected={cell ? cellKey(cell) : undefined}
            onSelect={(key) => change({ cell: key, repeat: undefined })}
          />
          <div className={classes.growth}>
            <PanelBoundary>
              <GrowthChart tools={tools} unit={unit} />
            </PanelBoundary>
          </div>
        </Section>
      ) : null}
      {cell && trial ? (
        <>
          <div ref={chart} className={shared.trial}>
            <Section
              title={`${cell.title}, ${inputWords(cell)}`}
              action={
                <RepeatSwitch
                  trials={begunOf(cell)}
                  shown={trial.repeat}
                  onChange={(repeat) => change({ repeat })}
                />
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
        <NoTrial ended={ended} />
      )}
    </>
  );
}

/** A tool's commands as they were at the launch. */
const definitionOf = (parameters: RunParameters, tool: string): ToolDefinition | undefined => {
  const { definitions } = parameters as { definitions?: ToolDefinition[] };
  return definitions?.find(({ name }) => name === tool);
};

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
              <RowButton
                title="Show this trial"
                selected={trial.id === selected}
                onSelect={trial.status === "waiting" ? undefined : () => onSelect(trial)}
              >
                Repeat {trial.repeat}
              </RowButton>
            </th>
            <td>{rateText(leadingRate(cell, trial), unit)}</td>
            <td>{cell.rate === "durable" ? rateText(trial.application_bytes_per_s, unit) : "–"}</td>
            <td>{statusWords(trial)}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

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
