import type { Comparison } from "@/api/shapes";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import {
  figure,
  formatBytes,
  formatIops,
  formatLatency,
  formatRate,
  levelsWords,
  type RateUnit,
  useRateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import {
  AnswerSection,
  labelsOf,
  letterOf,
  ParticipantSwitches,
  useParticipantChoice,
} from "@/features/compare/ComparisonParts";
import { shownIn } from "@/features/kinds/sustained/result/shown";
import { sweepsDepth } from "@/features/kinds/sustained/result/sweep";
import { TrialsOverlay } from "@/features/kinds/sustained/result/TrialsOverlay";
import {
  type ComparedSustained,
  cellWords,
  operationOf,
  type Sustained,
  shapeWords,
  timeWords,
} from "@/features/kinds/sustained/sustained";

/** The answer, the runs' courses overlaid, and their figures. */
export function SustainedComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as ComparedSustained;
  const { unit } = useRateUnit();
  const { letter } = labelsOf(comparison.runs);
  const runOf = (id: number) => comparison.runs.find((run) => run.id === id);
  const { outcome } = comparison;
  const cells = outcome?.runs.map((side) => {
    const run = runOf(side.run_id);
    return run ? cellText(run.result, side) : null;
  });
  const sweeps = cells?.some((cell) => cell !== null);
  const random = outcome?.runs.some(({ access }) => access === "random") ?? false;
  const operation = operationOf(comparison.runs.map(({ result }) => result));
  return (
    <>
      <AnswerSection comparison={props.comparison} />
      <Section title="Throughput" hint="The trial with the median rate of each run's fastest cell.">
        <PanelBoundary>
          <OverlayChart comparison={comparison} unit={unit} />
        </PanelBoundary>
      </Section>
      {outcome ? (
        <Section title="Figures">
          <FigureTable caption="Figures of the compared runs">
            <thead>
              <tr>
                <th scope="col">Run</th>
                {sweeps ? <th scope="col">Fastest cell</th> : null}
                <th scope="col">{rateTitle(outcome.runs)}</th>
                {random ? <th scope="col">IOPS</th> : null}
                <th scope="col">÷ {letterOf(0)}</th>
                <th scope="col">Cliff</th>
                <th scope="col">Slow-down</th>
                <th scope="col">Peak {timeWords(operation)}</th>
                <th scope="col">Carries</th>
              </tr>
            </thead>
            <tbody>
              {outcome.runs.map((side, index) => (
                <tr key={`${side.run_id} ${side.operation}`}>
                  <th scope="row">
                    {letter(side.run_id)}
                    {operation === null ? `, ${side.operation}s` : null}
                  </th>
                  {sweeps ? <td>{cells?.[index] ?? "–"}</td> : null}
                  {cellsOf(side, unit, isJoint(runOf(side.run_id)), random).map(([name, value]) => (
                    <td key={name}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </FigureTable>
        </Section>
      ) : null}
    </>
  );
}

/** "Durable", if all rates are. */
function rateTitle(sides: readonly Side[]): string {
  const rates = new Set(sides.map(({ rate }) => rate));
  if (rates.size > 1) return "Rate";
  return rates.has("durable") ? "Durable" : "Application";
}

type Side = NonNullable<ComparedSustained["outcome"]>["runs"][number];

function cliffText(side: Side, unit: RateUnit): string {
  const { levels, no_cliff_within_bytes: within, shape } = side;
  if (levels) return levelsWords(levels.held, unit);
  const course = shape ? `; ${shapeWords(shape)}` : "";
  return within === null ? "–" : `none within ${formatBytes(within)}${course}`;
}

/** Several targets get equal parts of a rate that they carry. */
const isJoint = (run: ComparedSustained["runs"][number] | undefined): boolean =>
  (run?.participants.length ?? 0) > 1;

function cellsOf(
  side: Side,
  unit: RateUnit,
  joint: boolean,
  random: boolean,
): [name: string, value: string][] {
  const { bytes_per_s: rate, carried, slow_down: slower } = side;
  const buffer =
    carried && carried.buffer_bytes > 0 ? `, ${formatBytes(carried.buffer_bytes)} buffer` : "";
  return [
    ["rate", rate === null || side.levels?.durable ? "–" : formatRate(rate, unit)],
    ...(random
      ? [["iops", side.iops == null ? "–" : formatIops(side.iops)] as [string, string]]
      : []),
    ["ratio", side.ratio === null ? "–" : figure(side.ratio)],
    ["cliff", cliffText(side, unit)],
    ["slow-down", slower === null ? "–" : `${figure(slower * 100)}\u00a0%`],
    ["peak", side.peak_ns === null ? "–" : formatLatency(side.peak_ns)],
    ["carries", carried ? `${carried.label}${joint ? " spread evenly" : ""}${buffer}` : "–"],
  ];
}

/** The cell of a sweep that stands for a direction of its run; null if the run has only one cell. */
export function cellText({ cells }: Sustained, { cell, operation }: Side): string | null {
  const own = cells.filter((one) => one.operation === operation);
  const found = own.find(({ key }) => key === cell);
  return own.length > 1 && found ? cellWords(found, sweepsDepth({ cells: own })) : null;
}

interface OverlayChartProps {
  comparison: ComparedSustained;
  unit: RateUnit;
}

/** One trial of each run from the same start, over time or over the data moved. */
function OverlayChart({ comparison, unit }: OverlayChartProps) {
  const { runs } = comparison;
  const { participants, choose } = useParticipantChoice(runs);
  const trials = runs.flatMap(({ result }, index) => {
    const { trial } = shownIn(result, {});
    if (!trial) return [];
    return [{ name: letterOf(index), style: index, trial, participant: participants[index] }];
  });
  return (
    <TrialsOverlay
      trials={trials}
      what="run"
      operation={operationOf(runs.map(({ result }) => result))}
      unit={unit}
      empty="No run has measured a trial."
      filename={`compare-${runs.map((run) => run.id).join("-")}`}
    >
      <ParticipantSwitches runs={runs} participants={participants} onChoose={choose} />
    </TrialsOverlay>
  );
}
