import { upperFirst } from "@mantine/hooks";
import { CopyText } from "@/components/CopyText";
import { Empty } from "@/components/feedback/Notices";
import { PanelBoundary } from "@/components/feedback/ProblemPanel";
import { Section } from "@/components/page/Page";
import { wordsText } from "@/components/quantities";
import type { ResultProps } from "@/features/kinds/kind";
import { MatrixHeatmap } from "@/features/kinds/matrix/MatrixHeatmap";
import {
  asMatrix,
  cellName,
  cellOf,
  type Matrix,
  type Reading,
  statisticHint,
  useReading,
} from "@/features/kinds/matrix/matrix";
import { ReadingSwitches } from "@/features/kinds/matrix/ReadingSwitches";
import { ResultTop } from "@/features/kinds/ResultParts";
import { CellDetail } from "./CellDetail";
import { chosenCell } from "./cellSamples";
import classes from "./MatrixResult.module.css";

/** The answer, the matrix beside the detail of its selected cell, and the recommendation. */
export function MatrixResult({ result, run, ended, children }: ResultProps) {
  const matrix = asMatrix(result);
  const { reading, cell: named, repeat, change } = useReading(matrix.rates);
  const cell = chosenCell(matrix, named, reading);
  const switches = <ReadingSwitches reading={reading} rates={matrix.rates} onChange={change} />;
  return (
    <>
      <ResultTop
        headline={matrix.headline}
        ended={ended}
        notices={children}
        warnings={matrix.warnings}
        unit={reading.unit}
      />
      <div
        className={classes.pictures}
        data-stacked={isSingle(matrix) || isWide(matrix) || undefined}
      >
        {isSingle(matrix) ? (
          <div className={classes.switches}>{cell ? switches : null}</div>
        ) : (
          <Section title="Matrix" hint={statisticHint(reading)} action={switches}>
            <MatrixHeatmap
              matrix={matrix}
              reading={reading}
              running={cellOf(run.current)}
              selected={cell ? cellName(cell) : null}
              onSelect={(chosen) => change({ cell: chosen, zoom: undefined })}
            />
          </Section>
        )}
        <PanelBoundary>
          {cell ? (
            <CellDetail
              matrix={matrix}
              cell={cell}
              reading={reading}
              focused={repeat}
              onFocus={(chosen) => change({ cell: cellName(cell), repeat: String(chosen) })}
            />
          ) : (
            <Empty title="No cell to show">
              {ended
                ? "The run ended before its first trial."
                : "Details appear when the first trial starts."}
            </Empty>
          )}
        </PanelBoundary>
      </div>
      <AdvicePanel matrix={matrix} reading={reading} ended={ended} />
    </>
  );
}

/** A single cell has no heatmap, only its detail. */
const isSingle = ({ cells }: Matrix): boolean => cells.length <= 1;

/** A matrix of more columns leaves no room for a cell's detail beside it. */
const isWide = ({ axes }: Matrix): boolean => axes.threads.length > 5;

/** `ended`: nothing will be measured any more. */
type Props = { matrix: Matrix; reading: Reading; ended: boolean };

/** The cheapest cell within noise of the best, as the settings that FileCatalyst takes. */
function AdvicePanel({ matrix, reading, ended }: Props) {
  const advice = matrix.advice[reading.rate];
  return (
    <Section title="Recommendation">
      {advice ? (
        <div className={classes.advice}>
          <p className={classes.sentence}>{upperFirst(wordsText(advice.words, reading.unit))}</p>
          <div>
            <h3 className={classes.title}>FileCatalyst settings</h3>
            <CopyText label="FileCatalyst settings" text={settingsText(advice.settings)} />
          </div>
        </div>
      ) : (
        <p>
          {ended
            ? "No recommendation: every cell has caveats."
            : "No recommendation yet: no cell has been measured without caveats."}
        </p>
      )}
    </Section>
  );
}

/** "numBlockWriters=1", a line a setting. */
export const settingsText = (settings: Record<string, string | number>): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
