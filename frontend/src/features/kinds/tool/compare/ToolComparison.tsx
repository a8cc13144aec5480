import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import { count, figure, formatBytes, formatRate, useRateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { AnswerSection, labelsOf, pairsOf, RatioTable } from "@/features/compare/ComparisonParts";
import type { ComparedTools } from "@/features/kinds/tool/tool";

/** The answer, and every way of moving the data side by side: tools and Assay's own engine. */
export function ToolComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as ComparedTools;
  const { unit } = useRateUnit();
  const { letter } = labelsOf(comparison.runs);
  const pairs = pairsOf(comparison);
  const sides = sidesOf(pairs);
  if (sides.length === 0) {
    return <AnswerSection comparison={props.comparison} />;
  }
  const highest = Math.max(0, ...sides.map(({ bytes_per_s }) => bytes_per_s ?? 0));
  return (
    <>
      <AnswerSection comparison={props.comparison} />
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
            {sides.map((side) => (
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
      {pairs
        .filter(({ ratios }) => ratios.length > 0)
        .map((outcome) => (
          <Section
            key={outcome.b}
            title={`Ratios, ${letter(outcome.a)} versus ${letter(outcome.b)}`}
          >
            <RatioTable
              caption={`Ratios of ${letter(outcome.a)} and ${letter(outcome.b)}`}
              runs={[letter(outcome.a), letter(outcome.b)]}
              rows={outcome.ratios.map(({ a_name, b_name, ratio, answer }) => ({
                cells: [a_name, b_name],
                ratio,
                answer,
              }))}
            />
          </Section>
        ))}
    </>
  );
}

type Pair = NonNullable<ComparedTools["outcome"]>;

/** The ways of all runs, once each: the first run is a side of every pair. */
function sidesOf(pairs: readonly Pair[]): Pair["sides"] {
  const [first, ...others] = pairs;
  if (!first) return [];
  return [
    ...first.sides,
    ...others.flatMap(({ sides, b }) => sides.filter(({ run_id }) => run_id === b)),
  ];
}
