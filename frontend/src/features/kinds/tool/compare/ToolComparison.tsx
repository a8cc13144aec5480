import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import { count, figure, formatBytes, formatRate, useRateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { AnswerSection } from "@/features/compare/AnswerSection";
import { labelsOf } from "@/features/compare/labels";
import { RatioTable } from "@/features/compare/RatioTable";
import type { ToolComparison as Compared } from "@/features/kinds/tool/shapes";
import { answerSentences } from "./answer";

/** The answer, and every way of moving the data side by side: tools and Assay's own engine. */
export function ToolComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as Compared;
  const { unit } = useRateUnit();
  const { letter, name } = labelsOf(comparison.runs);
  const { outcome } = comparison;
  if (!outcome) {
    return <AnswerSection sentences={[]} />;
  }
  const highest = Math.max(0, ...outcome.sides.map(({ bytes_per_s }) => bytes_per_s ?? 0));
  return (
    <>
      <AnswerSection sentences={answerSentences(outcome, name)} />
      <Section
        title="Side by side"
        hint="Means of the reliable repeats, or of all if none is reliable; with the final sync where a disk is written. CPU time is all of both hosts, with what they use anyway."
      >
        <FigureTable caption="Ways of moving the data">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Moved by</th>
              <th scope="col">Data</th>
              <th scope="col">Rate</th>
              <th scope="col">÷ fastest</th>
              <th scope="col">CPU seconds per GB</th>
              <th scope="col">Lost</th>
            </tr>
          </thead>
          <tbody>
            {outcome.sides.map((side) => (
              <tr key={`${side.run_id} ${side.name}`}>
                <th scope="row">{letter(side.run_id)}</th>
                <td>{side.name}</td>
                <td>{side.length_bytes === null ? "–" : formatBytes(side.length_bytes)}</td>
                <td>{side.bytes_per_s === null ? "–" : formatRate(side.bytes_per_s, unit)}</td>
                <td>
                  {side.bytes_per_s === null || highest === 0
                    ? "–"
                    : figure(side.bytes_per_s / highest)}
                </td>
                <td>{side.cpu_s_per_gb === null ? "–" : figure(side.cpu_s_per_gb)}</td>
                <td>{side.lost === null ? "–" : count(side.lost)}</td>
              </tr>
            ))}
          </tbody>
        </FigureTable>
      </Section>
      {outcome.ratios.length > 0 ? (
        <Section title="Ratios">
          <RatioTable
            caption="Ratios of the first two runs"
            runs={[letter(outcome.a), letter(outcome.b)]}
            rows={outcome.ratios.map(({ a_name, b_name, ratio, answer }) => ({
              cells: [a_name, b_name],
              ratio,
              answer,
            }))}
          />
        </Section>
      ) : null}
    </>
  );
}
