import classes from "./DataTableView.module.css";
import type { DataTable } from "./dataTable";

/** A chart's numbers as a table of their own, scrolling in its own frame. */
export function DataTableView({ table, caption }: { table: DataTable; caption: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by key
    <section className={classes.scroll} aria-label={`${caption}: data`} tabIndex={0}>
      <table className={classes.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order is what identifies a row here
            <tr key={index}>
              {row.map((value, column) => (
                <td key={table.columns[column]}>{value ?? "–"}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
