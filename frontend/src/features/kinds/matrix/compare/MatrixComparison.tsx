import { Button } from "@mantine/core";
import { upperFirst } from "@mantine/hooks";
import type { Comparison } from "@/api/shapes";
import { scaleOf, widened } from "@/charts/color";
import { DataTableView } from "@/charts/DataTableView";
import { type DataTable, toCsv, type Value } from "@/charts/dataTable";
import { saveText } from "@/charts/saveFile";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import { figure, formatBlock, rateIn } from "@/components/quantities";
import { hostsOf, placeOf } from "@/features/campaigns/summary";
import { AnswerSection, labelsOf, letterOf, pairsOf } from "@/features/compare/ComparisonParts";
import { MatrixHeatmap, MatrixLegend } from "@/features/kinds/matrix/MatrixHeatmap";
import {
  type ComparedMatrices,
  cellName,
  findCell,
  parseCell,
  type Reading,
  useReading,
  valueIn,
} from "@/features/kinds/matrix/matrix";
import { ReadingSwitches } from "@/features/kinds/matrix/ReadingSwitches";
import classes from "./MatrixComparison.module.css";
import { OverlayChart } from "./OverlayChart";
import { type Ratio, RatioPanel, shownRatio } from "./RatioPanel";

/** The answer, the matrices on one scale, the ratio, one cell of all over time, and the table. */
export function MatrixComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as ComparedMatrices;
  const [first] = comparison.runs;
  // a write beside a read has one rate in common
  const rates = (first?.result.rates ?? []).filter((rate) =>
    comparison.runs.every(({ result }) => result.rates.includes(rate)),
  );
  const { reading, cell: named, change } = useReading(rates);
  const cell = (named ? parseCell(named) : null) ?? first?.result.best[reading.rate] ?? null;
  const selected = cell ? cellName(cell) : null;
  const select = (chosen: string) => change({ cell: chosen });
  const pairs = pairsOf(comparison);
  const { letter } = labelsOf(comparison.runs);
  return (
    <>
      <AnswerSection comparison={props.comparison} />
      <Section
        title="Matrices, shared scale"
        action={<ReadingSwitches reading={reading} rates={rates} onChange={change} />}
      >
        <Heatmaps comparison={comparison} reading={reading} selected={selected} onSelect={select} />
      </Section>
      <div className={classes.pair}>
        {pairs
          .map((pair) => shownRatio(comparison, pair, reading))
          .map((ratio) => (
            <Section
              key={ratio.b}
              title={`${letter(ratio.a)} versus ${letter(ratio.b)}`}
              hint={`${upperFirst(reading.stat)} of each cell, ${letter(ratio.a)} ÷ ${letter(ratio.b)}; significance is tested over all repeats.`}
            >
              <RatioPanel
                comparison={comparison}
                ratio={ratio}
                reading={reading}
                selected={selected}
                onSelect={select}
              />
            </Section>
          ))}
        {cell ? (
          <Section title="Throughput over time" hint="The repeat closest to each cell's median.">
            <PanelBoundary>
              <OverlayChart comparison={comparison} cell={cell} reading={reading} />
            </PanelBoundary>
          </Section>
        ) : null}
      </div>
      <ComparisonTable comparison={comparison} reading={reading} />
    </>
  );
}

interface HeatmapsProps {
  comparison: ComparedMatrices;
  reading: Reading;
  selected: string | null;
  onSelect: (cell: string) => void;
}

/** Each run's matrix, small, all on one color scale: the same color is the same rate everywhere. */
function Heatmaps({ comparison, reading, selected, onSelect }: HeatmapsProps) {
  const cells = comparison.runs.flatMap(({ result }) => result.cells);
  const span = scaleOf(cells.map((cell) => valueIn(cell, reading)));
  const scale = span && widened(span);
  return (
    <>
      <div className={classes.multiples}>
        {comparison.runs.map((run, index) => (
          <section key={run.id} aria-label={`Matrix of ${letterOf(index)}`}>
            <h3 className={classes.name} title={`${run.title} on ${hostsOf(run)}`}>
              <span className={classes.letter}>{letterOf(index)}</span> {hostsOf(run)}{" "}
              {placeOf(run)}
            </h3>
            <MatrixHeatmap
              matrix={run.result}
              reading={reading}
              scale={scale}
              selected={selected}
              onSelect={onSelect}
              compact
            />
          </section>
        ))}
      </div>
      <MatrixLegend cells={cells} rate={reading.rate} unit={reading.unit} scale={scale} />
    </>
  );
}

/** The first columns, block size and threads, are no measured values. */
const KEYS = 2;

/** The comparison as a table that can be copied and downloaded. */
function ComparisonTable({
  comparison,
  reading,
}: {
  comparison: ComparedMatrices;
  reading: Reading;
}) {
  const table = comparedCells(comparison, reading);
  const filename = `compare-${comparison.runs.map((run) => run.id).join("-")}.csv`;
  return (
    <Section
      title="Table"
      hint={`${upperFirst(reading.stat)} ${reading.rate} rate of each cell.`}
      action={
        <Button
          variant="default"
          size="xs"
          onClick={() => saveText(toCsv(table), filename, "text/csv")}
        >
          CSV
        </Button>
      }
    >
      <div className={classes.table}>
        <DataTableView
          table={table}
          caption={`${reading.stat} ${reading.rate} rates of each cell`}
          text={(value, column) =>
            column >= KEYS && typeof value === "number" ? figure(value) : String(value)
          }
        />
      </div>
    </Section>
  );
}

/** Every cell that any of the runs has, a line each, with a column a run and the ratio of the first to each other one. */
export function comparedCells(comparison: ComparedMatrices, reading: Reading): DataTable {
  const { runs } = comparison;
  const ratios = pairsOf(comparison).map((pair) => shownRatio(comparison, pair, reading));
  const keys = new Map(
    runs.flatMap(({ result }) =>
      result.cells.map(({ block, threads }) => [cellName({ block, threads }), { block, threads }]),
    ),
  );
  const cells = [...keys.values()].sort((a, b) => a.block - b.block || a.threads - b.threads);
  const ratioOf = (ratio: Ratio, cell: string): number | null =>
    ratio.cells.find((one) => cellName(one) === cell)?.[reading.rate] ?? null;
  const letter = (id: number) => letterOf(runs.findIndex((run) => run.id === id));
  return {
    columns: [
      "Block size",
      "Threads",
      ...runs.map(
        (_, index) => `${letterOf(index)}, ${reading.stat} ${reading.rate} (${reading.unit})`,
      ),
      ...ratios.map(({ a, b }) => `${letter(a)} ÷ ${letter(b)}`),
    ],
    rows: cells.map((key): Value[] => [
      formatBlock(key.block).replace("\u00a0", " "),
      key.threads,
      ...runs.map(({ result }): Value => {
        const cell = findCell(result, key);
        const bytesPerS = cell ? valueIn(cell, reading) : null;
        return exact(bytesPerS === null ? null : rateIn(bytesPerS, reading.unit));
      }),
      ...ratios.map((ratio) => exact(ratioOf(ratio, cellName(key)))),
    ]),
  };
}

/** Without the noise of floating point, but with more digits than are shown: rounded twice, 0.63551 would be 0.635. */
const exact = (value: number | null): Value =>
  value === null ? null : Number(value.toPrecision(12));
