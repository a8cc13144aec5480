import { scaleOf, widened } from "@/charts/color";
import { hostsOf, placeOf } from "@/features/campaigns/summary";
import { letterOf } from "@/features/compare/letters";
import { MatrixHeatmap } from "@/features/kinds/matrix/MatrixHeatmap";
import { MatrixLegend } from "@/features/kinds/matrix/MatrixLegend";
import { type Reading, valueIn } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";
import classes from "./Heatmaps.module.css";

interface HeatmapsProps {
  comparison: MatrixComparison;
  reading: Reading;
  selected: string | null;
  onSelect: (cell: string) => void;
}

/** Each run's matrix, small, all on one color scale: the same color is the same rate everywhere. */
export function Heatmaps({ comparison, reading, selected, onSelect }: HeatmapsProps) {
  const cells = comparison.runs.flatMap(({ result }) => result.cells);
  const span = scaleOf(cells.map((cell) => valueIn(cell, reading)));
  const scale = span && widened(span);
  return (
    <>
      <div className={classes.multiples}>
        {comparison.runs.map((run, index) => (
          <section key={run.id} aria-label={`Matrix of ${letterOf(index)}`}>
            <h3 className={classes.name} title={`${run.title} on ${hostsOf(run)}`}>
              <span className={classes.letter}>{letterOf(index)}</span> {hostsOf(run)}{" "}
              {placeOf(run)}
            </h3>
            <MatrixHeatmap
              matrix={run.result}
              reading={reading}
              scale={scale}
              selected={selected}
              onSelect={onSelect}
              compact
            />
          </section>
        ))}
      </div>
      <MatrixLegend cells={cells} rate={reading.rate} unit={reading.unit} scale={scale} />
    </>
  );
}
