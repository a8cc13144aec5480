import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import { count, figure, formatBytes, formatRate, useRateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { DIFFERENCES } from "@/features/compare/differenceWords";
import { letterOf } from "@/features/compare/letters";
import { namesOf } from "@/features/compare/names";
import classes from "@/features/kinds/Answer.module.css";
import type { ToolComparison as Compared } from "@/features/kinds/tool/shapes";
import { answerSentences } from "./answer";

/** The answer, and every way of moving the data side by side: tools and Assay's own engine. */
export function ToolComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as Compared;
  const { unit } = useRateUnit();
  const { outcome } = comparison;
  const names = namesOf(comparison.runs);
  const indexOf = (id: number) => comparison.runs.findIndex((run) => run.id === id);
  const nameOf = (id: number) => names[indexOf(id)] ?? letterOf(indexOf(id));
  if (!outcome) {
    return (
      <Section title="Answer">
        <p>The runs have nothing in common that compares.</p>
      </Section>
    );
  }
  const highest = Math.max(0, ...outcome.sides.map(({ bytes_per_s }) => bytes_per_s ?? 0));
  return (
    <>
      <Section title="Answer">
        {answerSentences(outcome, nameOf).map((sentence) => (
          <p key={sentence} className={classes.sentence}>
            {sentence}
          </p>
        ))}
      </Section>
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
              <th scope="col">Of the fastest</th>
              <th scope="col">CPU seconds per GB</th>
              <th scope="col">Lost</th>
            </tr>
          </thead>
          <tbody>
            {outcome.sides.map((side) => (
              <tr key={`${side.run_id} ${side.name}`}>
                <th scope="row">{letterOf(indexOf(side.run_id))}</th>
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
          <FigureTable caption="Ratios of the first two runs">
            <thead>
              <tr>
                <th scope="col">{letterOf(indexOf(outcome.a))}</th>
                <th scope="col">{letterOf(indexOf(outcome.b))}</th>
                <th scope="col">
                  {letterOf(indexOf(outcome.a))} ÷ {letterOf(indexOf(outcome.b))}
                </th>
                <th scope="col">Difference</th>
              </tr>
            </thead>
            <tbody>
              {outcome.ratios.map((row) => (
                <tr key={`${row.a_name} ${row.b_name}`}>
                  <th scope="row">{row.a_name}</th>
                  <td>{row.b_name}</td>
                  <td>{row.ratio === null ? "–" : figure(row.ratio)}</td>
                  <td>{DIFFERENCES[row.answer]}</td>
                </tr>
              ))}
            </tbody>
          </FigureTable>
        </Section>
      ) : null}
    </>
  );
}
