import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Section";
import {
  count,
  figure,
  formatRate,
  formatShare,
  type RateUnit,
  useRateUnit,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { DIFFERENCES } from "@/features/compare/differenceWords";
import { letterOf } from "@/features/compare/letters";
import { namesOf } from "@/features/compare/names";
import classes from "@/features/kinds/Answer.module.css";
import { hourlyText, settingWords, trialWords } from "@/features/kinds/path/headline";
import type { PathComparison as Compared, PathSetting } from "@/features/kinds/path/shapes";
import { limitWords } from "@/features/transfers/limits";
import { answerSentences } from "./answer";

/** The answer, each run's best setting, and the legs that the first two have in common. */
export function PathComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as Compared;
  const { unit } = useRateUnit();
  const names = namesOf(comparison.runs);
  const indexOf = (id: number) => comparison.runs.findIndex((run) => run.id === id);
  const nameOf = (id: number) => names[indexOf(id)] ?? letterOf(indexOf(id));
  const { outcome } = comparison;
  const withFiles = outcome?.legs.some((leg) => leg.a_files_per_s != null) ?? false;
  return (
    <>
      <Section title="Answer">
        {answerSentences(comparison, nameOf, unit).map((sentence) => (
          <p key={sentence} className={classes.sentence}>
            {sentence}
          </p>
        ))}
      </Section>
      <Section title="Figures" hint="Of the fastest setting of each run.">
        <FigureTable caption="Figures of the compared runs">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Setting</th>
              <th scope="col">Transfer</th>
              <th scope="col">Per hour</th>
              <th scope="col">Read</th>
              <th scope="col">Memory</th>
              <th scope="col">Write</th>
              <th scope="col">Efficiency</th>
              <th scope="col">Limit</th>
            </tr>
          </thead>
          <tbody>
            {comparison.runs.map(({ id, result }, index) => {
              const best = result.best === null ? undefined : result.settings[result.best];
              return (
                <tr key={id}>
                  <th scope="row">{letterOf(index)}</th>
                  {cellsOf(best, result.headline?.bytes_per_s ?? null, unit).map(
                    ([name, value]) => (
                      <td key={name}>{value}</td>
                    ),
                  )}
                </tr>
              );
            })}
          </tbody>
        </FigureTable>
      </Section>
      {outcome && outcome.legs.length > 0 ? (
        <Section title="Legs" hint="Legs with the same setting in both runs.">
          <FigureTable caption="Legs of the first two runs">
            <thead>
              <tr>
                <th scope="col">Leg</th>
                <th scope="col">{letterOf(indexOf(outcome.a))}</th>
                <th scope="col">{letterOf(indexOf(outcome.b))}</th>
                <th scope="col">
                  {letterOf(indexOf(outcome.a))} ÷ {letterOf(indexOf(outcome.b))}
                </th>
                <th scope="col">Difference</th>
                {withFiles ? <th scope="col">Small files per second</th> : null}
              </tr>
            </thead>
            <tbody>
              {outcome.legs.map((leg) => (
                <tr key={trialWords(leg)}>
                  <th scope="row">{trialWords(leg)}</th>
                  <td>{rateText(leg.a_bytes_per_s, unit)}</td>
                  <td>{rateText(leg.b_bytes_per_s, unit)}</td>
                  <td>{leg.ratio === null ? "–" : figure(leg.ratio)}</td>
                  <td>{DIFFERENCES[leg.answer]}</td>
                  {withFiles ? <td>{filesText(leg)}</td> : null}
                </tr>
              ))}
            </tbody>
          </FigureTable>
        </Section>
      ) : null}
    </>
  );
}

const perSecond = (files: number | null | undefined): string =>
  files == null ? "–" : count(Math.round(files));

/** "3,210 against 2,950" */
const filesText = ({
  a_files_per_s,
  b_files_per_s,
}: {
  a_files_per_s?: number | null;
  b_files_per_s?: number | null;
}): string => `${perSecond(a_files_per_s)} against ${perSecond(b_files_per_s)}`;

const rateText = (bytesPerS: number | null, unit: RateUnit): string =>
  bytesPerS === null ? "–" : formatRate(bytesPerS, unit);

/** `bytesPerS` is the headline's rate: null where that of the setting is not reliable. */
function cellsOf(
  best: PathSetting | undefined,
  bytesPerS: number | null,
  unit: RateUnit,
): [name: string, value: string][] {
  if (!best) return [["setting", "no reliable rate"]];
  const { efficiency, bottleneck } = best;
  const tb_per_hour = bytesPerS === null ? null : best.tb_per_hour;
  return [
    ["setting", settingWords(best)],
    ["transfer", rateText(bytesPerS, unit)],
    ["per hour", tb_per_hour === null ? "–" : hourlyText(tb_per_hour)],
    ["read", rateText(best.read_bytes_per_s, unit)],
    ["memory", rateText(best.memory_bytes_per_s, unit)],
    ["write", rateText(best.write_bytes_per_s, unit)],
    ["efficiency", efficiency === null ? "–" : formatShare(efficiency)],
    ["limit", bottleneck ? limitWords(bottleneck.limit, bottleneck.others) : "–"],
  ];
}
