import { upperFirst } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { compareQuery } from "@/api/queries";
import type { Comparison } from "@/api/shapes";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Empty";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Resolved } from "@/components/feedback/Resolved";
import { PageHeader } from "@/components/page/PageHeader";
import { Section } from "@/components/page/Section";
import { ComparisonTable } from "@/features/kinds/matrix/compare/ComparisonTable";
import { Heatmaps } from "@/features/kinds/matrix/compare/Heatmaps";
import { OverlayChart } from "@/features/kinds/matrix/compare/OverlayChart";
import { RatioPanel } from "@/features/kinds/matrix/compare/RatioPanel";
import { shownRatio } from "@/features/kinds/matrix/compare/shownRatio";
import { ReadingSwitches } from "@/features/kinds/matrix/ReadingSwitches";
import { cellName, parseCell } from "@/features/kinds/matrix/reading";
import { useReading } from "@/features/kinds/matrix/useReading";
import classes from "./ComparePage.module.css";
import { Differences } from "./Differences";
import { letterOf } from "./letters";
import { RunPicker } from "./RunPicker";

export function ComparePage() {
  const { runs: ids } = useSearch({ from: "/compare" });
  const navigate = useNavigate();
  const comparison = useQuery({ ...compareQuery(ids), enabled: ids.length > 1 });
  const choose = (runs: number[]) =>
    navigate({
      to: "/compare",
      search: (before) => ({ ...before, runs }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader title="Compare" />
      <Section title="Runs">
        <RunPicker ids={ids} runs={comparison.data?.runs ?? []} onChange={choose} />
      </Section>
      {ids.length > 1 ? (
        <Resolved query={comparison} what="comparison" rows={10}>
          {(loaded) => <Compared comparison={loaded} />}
        </Resolved>
      ) : (
        <Empty title={ids.length === 0 ? "No runs selected" : "Add a second run"}>
          Select two or more runs above. The page's address is a link to the comparison.
        </Empty>
      )}
    </>
  );
}

function Compared({ comparison }: { comparison: Comparison }) {
  const [first] = comparison.runs;
  // a write beside a read has one rate in common
  const rates = (first?.result.rates ?? []).filter((rate) =>
    comparison.runs.every(({ result }) => result.rates.includes(rate)),
  );
  const { reading, cell: named, change } = useReading(rates);
  const cell = (named ? parseCell(named) : null) ?? first?.result.best[reading.rate] ?? null;
  const selected = cell ? cellName(cell) : null;
  const select = (chosen: string) => change({ cell: chosen });
  const ratio = shownRatio(comparison, reading);
  const letter = (id: number) => letterOf(comparison.runs.findIndex((run) => run.id === id));
  return (
    <>
      <Section title="Configuration differences">
        <Differences comparison={comparison} />
      </Section>
      <Section title="Answer">
        <p className={classes.answer}>{comparison.outcome?.answer}</p>
      </Section>
      <Section
        title="Matrices, shared scale"
        action={<ReadingSwitches reading={reading} rates={rates} onChange={change} />}
      >
        <Heatmaps comparison={comparison} reading={reading} selected={selected} onSelect={select} />
      </Section>
      <div className={classes.pair}>
        {ratio ? (
          <Section
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
        ) : null}
        {cell ? (
          <Section title="Throughput over time" hint="The repeat closest to each cell's median.">
            <PanelBoundary>
              <OverlayChart comparison={comparison} cell={cell} reading={reading} />
            </PanelBoundary>
          </Section>
        ) : null}
      </div>
      <ComparisonTable comparison={comparison} reading={reading} />
      <Section title="Link to comparison">
        <div className={classes.link}>
          <CopyText label="link" text={globalThis.location.href} />
        </div>
      </Section>
    </>
  );
}
