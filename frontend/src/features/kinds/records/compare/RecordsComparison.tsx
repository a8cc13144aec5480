import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import { count, figure, formatBlock, rateOrLevels, useRateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import {
  AnswerSection,
  labelsOf,
  letterOf,
  pairsOf,
  RatioTable,
} from "@/features/compare/ComparisonParts";
import { type ComparedRecords, recordRateWords } from "@/features/kinds/records/records";

/** The answer, every record length of each run, and the lengths that the first has in common with each other one. */
export function RecordsComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as ComparedRecords;
  const { unit } = useRateUnit();
  const { letter } = labelsOf(comparison.runs);
  const pairs = pairsOf(comparison);
  return (
    <>
      <AnswerSection comparison={props.comparison} />
      <Section title="Figures" hint="Means of the reliable repeats, in the window.">
        <FigureTable caption="Figures of the compared runs">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Record</th>
              <th scope="col">Senders</th>
              <th scope="col">Sink</th>
              <th scope="col">Records</th>
              <th scope="col">Payload</th>
              <th scope="col">CPU per record</th>
              <th scope="col">Lost</th>
              <th scope="col">Limit</th>
            </tr>
          </thead>
          <tbody>
            {comparison.runs.flatMap(({ id, result }, index) =>
              result.cells.map((cell) => (
                <tr key={`${id} ${cell.record_bytes}`}>
                  <th scope="row">{letterOf(index)}</th>
                  <td>{formatBlock(cell.record_bytes)}</td>
                  <td>{result.senders}</td>
                  <td>{result.sink === "disk" ? "file" : "memory"}</td>
                  <td>
                    {recordRateWords(cell.records_per_s?.mean, cell.levels, cell.record_bytes)}
                  </td>
                  <td>{rateOrLevels(cell.bytes_per_s?.mean, cell.levels, unit)}</td>
                  <td>
                    {cell.receiver_ns_per_record === null
                      ? "–"
                      : `${figure(cell.receiver_ns_per_record)}\u00a0ns`}
                  </td>
                  <td>{cell.lost === null ? "–" : count(cell.lost)}</td>
                  <td>{cell.bottleneck?.limited ?? "–"}</td>
                </tr>
              )),
            )}
          </tbody>
        </FigureTable>
      </Section>
      {pairs
        .filter(({ cells }) => cells.length > 0)
        .map((outcome) => (
          <Section
            key={outcome.b}
            title={`Record lengths, ${letter(outcome.a)} versus ${letter(outcome.b)}`}
            hint="Lengths that both runs have measured."
          >
            <RatioTable
              caption={`Record lengths of ${letter(outcome.a)} and ${letter(outcome.b)}`}
              of="Record"
              runs={[letter(outcome.a), letter(outcome.b)]}
              rows={outcome.cells.map((cell) => ({
                cells: [
                  formatBlock(cell.record_bytes),
                  recordRateWords(cell.a_records_per_s, cell.a_levels, cell.record_bytes),
                  recordRateWords(cell.b_records_per_s, cell.b_levels, cell.record_bytes),
                ],
                ratio: cell.ratio,
                answer: cell.answer,
              }))}
            />
          </Section>
        ))}
    </>
  );
}
