import { Empty } from "@/components/feedback/Empty";
import { PanelBoundary } from "@/components/feedback/PanelBoundary";
import { Section } from "@/components/page/Section";
import type { ResultProps } from "@/features/kinds/kind";
import { MatrixHeatmap } from "@/features/kinds/matrix/MatrixHeatmap";
import { ReadingSwitches } from "@/features/kinds/matrix/ReadingSwitches";
import { cellName, cellOf, statisticHint } from "@/features/kinds/matrix/reading";
import { asMatrix, type Matrix } from "@/features/kinds/matrix/shapes";
import { useReading } from "@/features/kinds/matrix/useReading";
import { ResultTop } from "@/features/kinds/ResultTop";
import { AdvicePanel } from "./AdvicePanel";
import { CellDetail } from "./CellDetail";
import { chosenCell } from "./chosenCell";
import { MatrixAnswer } from "./MatrixAnswer";
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
        answer={<MatrixAnswer matrix={matrix} reading={reading} ended={ended} />}
        headline={matrix.headline}
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
