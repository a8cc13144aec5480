import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import classes from "./DataTableView.module.css";
import type { DataTable } from "./dataTable";

/** The height of a row in pixels, as in the style sheet. */
const ROW_HEIGHT = 23;
/** Rows rendered beyond the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 20;

interface DataTableViewProps {
  table: DataTable;
  caption: string;
  /** How a value is printed; as it is, unless given. */
  text?: (value: string | number, column: number) => string;
}

/**
 * A chart's data as a scrolling table. Five repeats have three thousand rows, so only visible rows
 * are rendered; `aria-rowcount` has the total.
 */
export function DataTableView({ table, caption, text = String }: DataTableViewProps) {
  const frame = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: table.rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
  });
  const drawn = rows.getVirtualItems();
  const above = drawn[0]?.start ?? 0;
  const below = rows.getTotalSize() - (drawn.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by key
    <section ref={frame} className={classes.scroll} aria-label={`${caption}: data`} tabIndex={0}>
      <div style={{ paddingTop: above, paddingBottom: below }}>
        <table className={classes.table} aria-rowcount={table.rows.length + 1}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr aria-rowindex={1}>
              {table.columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {drawn.map(({ index }) => (
              <tr key={index} aria-rowindex={index + 2}>
                {table.rows[index]?.map((value, column) => (
                  <td key={table.columns[column]}>{value === null ? "–" : text(value, column)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
