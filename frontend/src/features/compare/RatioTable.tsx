import { figure } from "@/components/quantities";
import { FigureTable } from "@/components/table/FigureTable";
import { DIFFERENCES, type Difference } from "./ratioWords";

interface RatioRow {
  /** What the row is, if it has a name, and the value of each run. */
  cells: readonly [string, ...string[]];
  ratio: number | null;
  answer: Difference;
}

interface RatioTableProps {
  caption: string;
  /** What a row is; without it, the first cell is that of the first run. */
  of?: string;
  /** The letters of both runs. */
  runs: readonly [string, string];
  rows: readonly RatioRow[];
}

/** What two runs have in common, with A ÷ B and what the difference is worth. */
export function RatioTable({ caption, of, runs, rows }: RatioTableProps) {
  const columns = of === undefined ? runs : [of, ...runs];
  return (
    <FigureTable caption={caption}>
      <thead>
        <tr>
          {[...columns, runs.join(" ÷ "), "Difference"].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ cells: [name, ...cells], ratio, answer }) => (
          <tr key={[name, ...cells].join(" ")}>
            <th scope="row">{name}</th>
            {cells.map((cell, column) => (
              <td key={columns[column + 1]}>{cell}</td>
            ))}
            <td>{ratio === null ? "–" : figure(ratio)}</td>
            <td>{DIFFERENCES[answer]}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}
