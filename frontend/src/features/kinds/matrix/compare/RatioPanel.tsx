import { diverging, ratioSpan } from "@/charts/color";
import { HeatGrid } from "@/charts/HeatGrid";
import { letterOf } from "@/features/compare/letters";
import { cellsWithCliff } from "@/features/kinds/matrix/cliffs";
import legend from "@/features/kinds/matrix/Legend.module.css";
import { ColorKey } from "@/features/kinds/matrix/MatrixLegend";
import { RATE_WORDS, type Reading } from "@/features/kinds/matrix/reading";
import type { MatrixComparison } from "@/features/kinds/matrix/shapes";
import { isProven, ratioGrid, ratioText } from "./ratioGrid";
import { type Ratio, whyNothingCompares } from "./shownRatio";

interface RatioPanelProps {
  comparison: MatrixComparison;
  ratio: Ratio;
  reading: Reading;
  selected: string | null;
  onSelect: (cell: string) => void;
}

const STEPS = [-1, -0.66, -0.33, 0, 0.33, 0.66, 1];

/** A versus B by cell: white is equal, orange where A is faster, blue where it is slower. */
export function RatioPanel({ comparison, ratio, reading, selected, onSelect }: RatioPanelProps) {
  const nothing = whyNothingCompares(comparison, ratio, reading);
  if (nothing) return <p>{nothing}</p>;
  const letter = (id: number) => letterOf(comparison.runs.findIndex((run) => run.id === id));
  const names: [string, string] = [letter(ratio.a), letter(ratio.b)];
  const span = ratioSpan(ratio.cells.map((cell) => cell[reading.rate]));
  const unproven = ratio.cells.some(
    (cell) => cell[reading.rate] !== null && !isProven(cell, reading.rate),
  );
  const cliffs = comparison.runs
    .filter((run) => run.id === ratio.a || run.id === ratio.b)
    .flatMap((run) => cellsWithCliff(run.result, reading.rate));
  return (
    <>
      <HeatGrid
        grid={ratioGrid(ratio, reading.rate, names, new Set(cliffs))}
        caption={`Ratio ${names[0]} ÷ ${names[1]} of the ${reading.stat} ${RATE_WORDS[reading.rate]} rates, by block size and threads`}
        selected={selected}
        onSelect={onSelect}
        compact
      />
      <div className={legend.legend}>
        <ColorKey
          colors={STEPS.map((step) => diverging(2 ** (step * span), span))}
          low={`${names[0]} slower ${ratioText(2 ** -span)}`}
          middle="white is 1×"
          high={`${ratioText(2 ** span)} faster`}
        />
        {unproven ? (
          <span className={legend.item}>
            <span className={legend.noise} aria-hidden="true" />
            difference within noise
          </span>
        ) : null}
      </div>
    </>
  );
}
