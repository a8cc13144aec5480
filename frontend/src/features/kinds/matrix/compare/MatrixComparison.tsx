import { upperFirst } from "@mantine/hooks";
import type { Comparison } from "@/api/shapes";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import { AnswerSection } from "@/features/compare/AnswerSection";
import { labelsOf } from "@/features/compare/labels";
import { pairsOf } from "@/features/compare/pairs";
import { ReadingSwitches } from "@/features/kinds/matrix/ReadingSwitches";
import { cellName, parseCell } from "@/features/kinds/matrix/reading";
import type { MatrixComparison as Compared } from "@/features/kinds/matrix/shapes";
import { useReading } from "@/features/kinds/matrix/useReading";
import { answerWords } from "./answer";
import { ComparisonTable } from "./ComparisonTable";
import { Heatmaps } from "./Heatmaps";
import classes from "./MatrixComparison.module.css";
import { OverlayChart } from "./OverlayChart";
import { RatioPanel } from "./RatioPanel";
import { shownRatio } from "./shownRatio";

/** The answer, the matrices on one scale, the ratio, one cell of all over time, and the table. */
export function MatrixComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as Compared;
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
  const { letter, name } = labelsOf(comparison.runs);
  return (
    <>
      <AnswerSection
        sentences={pairs.map(({ answer }) => answerWords(answer, name, reading.unit))}
      />
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
