import { cividis, type Scale } from "@/charts/color";
import { BadgeSign, HeatGrid } from "@/charts/HeatGrid";
import { type RateUnit, rateFigure } from "@/components/quantities";
import classes from "./Matrix.module.css";
import {
  type CellKey,
  type Matrix,
  type MatrixCell,
  RATE_WORDS,
  type RateKind,
  type Reading,
} from "./matrix";
import { matrixGrid, matrixScale } from "./matrixGrid";
import { doubtsIn, legendBadge } from "./signs";

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

interface MatrixLegendProps {
  cells: readonly MatrixCell[];
  rate: RateKind;
  unit: RateUnit;
  scale: Scale | null;
}

/** Explains the colors, and the signs that occur. */
export function MatrixLegend({ cells, rate, unit, scale }: MatrixLegendProps) {
  const noise = cells.some((cell) => cell[rate]?.within_noise && !cell[rate]?.best);
  const best = cells.some((cell) => cell[rate]?.best);
  return (
    <div className={classes.legend}>
      {scale ? <RateKey scale={scale} unit={unit} /> : null}
      {best ? (
        <span className={classes.item}>
          <span className={classes.best} aria-hidden="true" />
          best cell
        </span>
      ) : null}
      {noise ? (
        <span className={classes.item}>
          <span className={classes.noise} aria-hidden="true" />
          within noise of the best
        </span>
      ) : null}
      {doubtsIn(cells, rate).map((doubt) => {
        const badge = legendBadge(doubt);
        return (
          <span key={doubt} className={classes.item}>
            <BadgeSign badge={badge} />
            {badge.word}
          </span>
        );
      })}
    </div>
  );
}

/** The sequential scale with its ends, in the unit shown. */
export function RateKey({ scale, unit }: { scale: Scale; unit: RateUnit }) {
  return (
    <ColorKey
      colors={[0, 0.2, 0.4, 0.6, 0.8, 1].map(cividis)}
      low={rateFigure(scale.min, unit)}
      high={`${rateFigure(scale.max, unit)}\u00a0${unit}`}
    />
  );
}

/** A strip of a scale's colors between its two ends. */
export function ColorKey(props: { colors: string[]; low: string; high: string; middle?: string }) {
  return (
    <span className={classes.key}>
      <span>{props.low}</span>
      <span className={classes.strip} aria-hidden="true">
        {props.colors.map((color) => (
          <span key={color} style={{ background: color }} />
        ))}
      </span>
      {props.middle ? <span className="visually-hidden">{props.middle}</span> : null}
      <span>{props.high}</span>
    </span>
  );
}
