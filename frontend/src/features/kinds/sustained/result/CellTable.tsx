import {
  figure,
  formatIops,
  formatLatency,
  type RateUnit,
  rateText,
  wordsText,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import {
  type Contrast,
  cellWords,
  modeWords,
  operationOf,
  type Sustained,
  type SustainedCell,
  timeWords,
} from "@/features/kinds/sustained/sustained";
import { sweepsDepth } from "./sweep";

interface CellTableProps {
  result: Sustained;
  unit: RateUnit;
  selected: string;
  onSelect: (key: string) => void;
}

/** The cells of a sweep, with the sweet spot marked; a row selects its cell. */
export function CellTable({ result, unit, selected, onSelect }: CellTableProps) {
  const writes = result.operation === "write" || result.operation === "both";
  const random = result.access === "random";
  const both = result.operation === "both";
  const namesDepth = sweepsDepth(result);
  const bases = basesOf(result);
  return (
    <FigureTable caption="Cells">
      <thead>
        <tr>
          <th scope="col">Cell</th>
          {both ? <th scope="col">Operation</th> : null}
          <th scope="col">Offered</th>
          {random ? <th scope="col">IOPS</th> : null}
          <th scope="col">Application</th>
          {writes ? <th scope="col">Durable</th> : null}
          {bases.size > 0 ? (
            <th scope="col">{bases.size > 1 ? "Ratio" : `÷ ${[...bases.values()].join()}`}</th>
          ) : null}
          {random ? <th scope="col">p99</th> : null}
          <th scope="col">Peak {timeWords(operationOf([result]))}</th>
          <th scope="col">Repeats</th>
        </tr>
      </thead>
      <tbody>
        {result.cells.map((cell) => (
          <tr key={`${cell.operation} ${cell.key}`}>
            <th scope="row">
              <RowButton selected={cell.key === selected} onSelect={() => onSelect(cell.key)}>
                {cellWords(cell, namesDepth)}
              </RowButton>
              {cell.key === result.sweet_spot?.cell ? " sweet spot" : null}
            </th>
            {both ? <td>{cell.operation}</td> : null}
            <td>{rateText(cell.offered_bytes_per_s, unit)}</td>
            {random ? <td>{cell.iops ? formatIops(cell.iops.mean) : "–"}</td> : null}
            <td>{rateText(cell.application?.mean ?? null, unit)}</td>
            {writes ? <td>{rateText(cell.durable?.mean ?? null, unit)}</td> : null}
            {bases.size > 0 ? <td>{contrastText(cell.contrast, bases)}</td> : null}
            {random ? <td>{p99Text(cell)}</td> : null}
            <td>{cell.peak_ns === null ? "–" : formatLatency(cell.peak_ns)}</td>
            <td>{wordsText(cell.repeats, unit)}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

/** The modes with which others are compared, as words by the keys of their cells. */
function basesOf({ cells }: Sustained): Map<string, string> {
  const keys = new Set(cells.map(({ contrast }) => contrast?.cell));
  return new Map(
    cells.filter(({ key }) => keys.has(key)).map(({ key, mode }) => [key, modeWords(mode)]),
  );
}

/** "0.98, within noise"; with several bases, "0.98 to page cache, within noise". */
function contrastText(contrast: Contrast | null, bases: ReadonlyMap<string, string>): string {
  if (contrast === null) return "–";
  const { cell, ratio, significant, too_few_repeats: few } = contrast;
  const to = bases.size > 1 ? ` to ${bases.get(cell)}` : "";
  const doubt = few ? ", too few repeats" : ", within noise";
  return figure(ratio) + to + (significant ? "" : doubt);
}

/** The latency that 99 % of the operations do not exceed. */
function p99Text({ latency }: SustainedCell): string {
  const found = latency.find(({ share }) => share === 0.99);
  return found ? formatLatency(found.ns) : "–";
}
