import type { Comparison } from "@/api/shapes";
import { Section } from "@/components/page/Page";
import {
  formatShare,
  type RateUnit,
  rateText,
  useRateUnit,
  wordsText,
} from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import {
  AnswerSection,
  labelsOf,
  letterOf,
  pairsOf,
  RatioTable,
} from "@/features/compare/ComparisonParts";
import {
  type ComparedPaths,
  hourlyText,
  type PathSetting,
  settingWords,
  trialWords,
} from "@/features/kinds/path/path";
import classes from "@/features/kinds/ResultParts.module.css";

/** The answer, each run's best setting, and the legs that the first has in common with each other one. */
export function PathComparison(props: { comparison: Comparison }) {
  const comparison = props.comparison as unknown as ComparedPaths;
  const { unit } = useRateUnit();
  const { letter } = labelsOf(comparison.runs);
  const pairs = pairsOf(comparison);
  return (
    <>
      <AnswerSection comparison={props.comparison} />
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
      {pairs
        .filter(({ legs }) => legs.length > 0)
        .map((outcome) => (
          <Section
            key={outcome.b}
            title={`Legs, ${letter(outcome.a)} versus ${letter(outcome.b)}`}
            hint="Legs with the same setting in both runs."
          >
            <RatioTable
              caption={`Legs of ${letter(outcome.a)} and ${letter(outcome.b)}`}
              of="Leg"
              runs={[letter(outcome.a), letter(outcome.b)]}
              rows={outcome.legs.map((leg) => ({
                cells: [
                  trialWords(leg),
                  rateText(leg.a_bytes_per_s, unit),
                  rateText(leg.b_bytes_per_s, unit),
                ],
                ratio: leg.ratio,
                answer: leg.answer,
              }))}
            />
            <div className={classes.below}>
              {outcome.leg_sentences
                .map((words) => wordsText(words, unit))
                .map((sentence) => (
                  <p key={sentence} className={classes.sentence}>
                    {sentence}
                  </p>
                ))}
            </div>
          </Section>
        ))}
    </>
  );
}

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
    ["limit", bottleneck?.limited ?? "–"],
  ];
}
