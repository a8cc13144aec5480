import {
  count,
  figure,
  formatRate,
  formatShare,
  type RateUnit,
  wordsText,
} from "@/components/quantities";
import { FigureTable, RowButton } from "@/components/table/FigureTable";
import table from "@/components/table/FigureTable.module.css";
import { inputWords, type ToolCell, type Tools } from "@/features/kinds/tool/tool";
import { cellKey } from "./shown";
import classes from "./ToolResult.module.css";

interface ToolTableProps {
  tools: Tools;
  unit: RateUnit;
  selected?: string | undefined;
  /** Select a tool; without it, nothing can be selected. */
  onSelect?: (key: string) => void;
}

/** All tools on the same input: rate, cost, and what was lost. */
export function ToolTable({ tools, unit, selected, onSelect }: ToolTableProps) {
  const highest = Math.max(0, ...tools.cells.map(({ bytes_per_s }) => bytes_per_s?.mean ?? 0));
  return (
    <FigureTable caption="Tools side by side">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">Input</th>
          <th scope="col" colSpan={2}>
            Rate
          </th>
          <th scope="col">Before the sync</th>
          <th scope="col">Time in sync</th>
          <th scope="col">CPU seconds per GB</th>
          <th scope="col">Lost</th>
          <th scope="col">Wrong</th>
          <th scope="col">Duplicate</th>
          <th scope="col">Repeats</th>
        </tr>
      </thead>
      <tbody>
        {tools.cells.map((cell, index) => (
          <tr key={cellKey(cell)}>
            <th scope="row" className={table.name}>
              <RowButton
                title="Show this tool over time"
                selected={cellKey(cell) === selected}
                onSelect={onSelect && (() => onSelect(cellKey(cell)))}
              >
                {cell.title}
              </RowButton>
              {index === tools.best && tools.cells.length > 1 ? " fastest" : null}
            </th>
            <td>{inputWords(cell)}</td>
            <td className={classes.bar}>
              <div
                aria-hidden="true"
                style={{
                  width: `${highest > 0 ? ((cell.bytes_per_s?.mean ?? 0) / highest) * 100 : 0}%`,
                }}
              />
            </td>
            <td>{cell.bytes_per_s ? formatRate(cell.bytes_per_s.mean, unit) : "–"}</td>
            <td>{beforeWords(cell, unit)}</td>
            <td>{cell.sync_share === null ? "–" : formatShare(cell.sync_share)}</td>
            <td>{cell.cpu_s_per_gb === null ? "–" : figure(cell.cpu_s_per_gb)}</td>
            <td>{countText(cell, cell.lost)}</td>
            <td>{countText(cell, cell.wrong)}</td>
            <td>{countText(cell, cell.duplicate)}</td>
            <td>{wordsText(cell.repeats, unit)}</td>
          </tr>
        ))}
      </tbody>
    </FigureTable>
  );
}

/** The rate without the final sync, where it is not the leading one. */
const beforeWords = ({ rate, application }: ToolCell, unit: RateUnit): string =>
  rate === "durable" && application ? formatRate(application.mean, unit) : "–";

/** "3 files"; of a tool's own data, nothing is known. */
function countText({ unit, checked }: ToolCell, number: number | null): string {
  if (!checked) return "not checked";
  if (number === null) return "–";
  return number === 0 ? "0" : `${count(number)} ${number === 1 ? unit : `${unit}s`}`;
}
