import type { Scale } from "@/charts/color";
import { HeatGrid } from "@/charts/HeatGrid";
import { MatrixLegend } from "./MatrixLegend";
import { matrixGrid, matrixScale } from "./matrixGrid";
import { type CellKey, RATE_WORDS, type Reading } from "./reading";
import type { Matrix } from "./shapes";

interface MatrixHeatmapProps {
  matrix: Matrix;
  reading: Reading;
  /** The cell being measured now, when the matrix itself does not know it yet. */
  running?: CellKey | null;
  selected?: string | null;
  onSelect?: (cell: string) => void;
  /** A scale shared with other matrices; the legend then stands elsewhere. */
  scale?: Scale | null;
  compact?: boolean;
}

/** A run's matrix as a heatmap, with the legend of exactly those signs that occur in it. */
export function MatrixHeatmap(props: MatrixHeatmapProps) {
  const { matrix, reading, running, selected, onSelect, compact } = props;
  const scale = props.scale ?? matrixScale(matrix, reading);
  const grid = matrixGrid(matrix, reading, { scale, running });
  const caption = `${reading.stat} ${RATE_WORDS[reading.rate]} rate in ${reading.unit}, by block size and threads`;
  return (
    <div>
      <HeatGrid
        grid={grid}
        caption={caption}
        selected={selected}
        onSelect={onSelect}
        compact={compact}
      />
      {props.scale ? null : (
        <MatrixLegend cells={matrix.cells} rate={reading.rate} unit={reading.unit} scale={scale} />
      )}
    </div>
  );
}
