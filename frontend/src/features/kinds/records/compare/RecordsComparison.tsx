import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import { count, figure, formatBlock, formatRate, useRateUnit } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { DIFFERENCES } from "@/features/compare/differenceWords";
import { letterOf } from "@/features/compare/letters";
import { namesOf } from "@/features/compare/names";
import classes from "@/features/kinds/Answer.module.css";
import { formatRecordRate } from "@/features/kinds/records/headline";
import type { RecordsComparison as Compared } from "@/features/kinds/records/shapes";
import { limitWords } from "@/features/transfers/limits";
import { answerSentences } from "./answer";

/** The answer, every record length of each run, and the lengths that the first two have in common. */
export function RecordsComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as Compared;
  const { unit } = useRateUnit();
  const names = namesOf(comparison.runs);
  const indexOf = (id: number) => comparison.runs.findIndex((run) => run.id === id);
  const nameOf = (id: number) => names[indexOf(id)] ?? letterOf(indexOf(id));
  const { outcome } = comparison;
  return (
    <>
      <Section title="Answer">
        {answerSentences(outcome, nameOf).map((sentence) => (
          <p key={sentence} className={classes.sentence}>
            {sentence}
          </p>
        ))}
      </Section>
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
                  <td>{cell.records_per_s ? formatRecordRate(cell.records_per_s.mean) : "–"}</td>
                  <td>{cell.bytes_per_s ? formatRate(cell.bytes_per_s.mean, unit) : "–"}</td>
                  <td>
                    {cell.receiver_ns_per_record === null
                      ? "–"
                      : `${figure(cell.receiver_ns_per_record)}\u00a0ns`}
                  </td>
                  <td>{cell.lost === null ? "–" : count(cell.lost)}</td>
                  <td>
                    {cell.bottleneck
                      ? limitWords(cell.bottleneck.limit, cell.bottleneck.others)
                      : "–"}
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </FigureTable>
      </Section>
      {outcome && outcome.cells.length > 0 ? (
        <Section title="Record lengths" hint="Lengths that both runs have measured.">
          <FigureTable caption="Record lengths of the first two runs">
            <thead>
              <tr>
                <th scope="col">Record</th>
                <th scope="col">{letterOf(indexOf(outcome.a))}</th>
                <th scope="col">{letterOf(indexOf(outcome.b))}</th>
                <th scope="col">
                  {letterOf(indexOf(outcome.a))} ÷ {letterOf(indexOf(outcome.b))}
                </th>
                <th scope="col">Difference</th>
              </tr>
            </thead>
            <tbody>
              {outcome.cells.map((cell) => (
                <tr key={cell.record_bytes}>
                  <th scope="row">{formatBlock(cell.record_bytes)}</th>
                  <td>{rateText(cell.a_records_per_s)}</td>
                  <td>{rateText(cell.b_records_per_s)}</td>
                  <td>{cell.ratio === null ? "–" : figure(cell.ratio)}</td>
                  <td>{DIFFERENCES[cell.answer]}</td>
                </tr>
              ))}
            </tbody>
          </FigureTable>
        </Section>
      ) : null}
    </>
  );
}

const rateText = (perSecond: number | null): string =>
  perSecond === null ? "–" : formatRecordRate(perSecond);
