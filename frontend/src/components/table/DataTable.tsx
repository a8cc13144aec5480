import {
  type ColumnDef,
  createColumnHelper,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_datetime,
  sortFn_text,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import classes from "./DataTable.module.css";

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_text, datetime: sortFn_datetime },
});

/** Columns of a `DataTable`; keep them outside the component that renders it. */
export const columnsOf = <Row extends RowData>() => createColumnHelper<typeof features, Row>();

type Props<Row extends RowData> = {
  /** The table's name, for screen readers. */
  caption: string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has its own value type
  columns: ColumnDef<typeof features, Row, any>[];
  rows: Row[];
  rowId: (row: Row) => string | number;
  /** The initial sort column; "-name" for descending order. */
  sortedBy?: string;
};

/** A table that sorts by its headers; on a phone each row becomes a list. */
export function DataTable<Row extends RowData>(props: Props<Row>) {
  const { caption, columns, rows, rowId, sortedBy } = props;
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: (row) => String(rowId(row)),
    enableSortingRemoval: false,
    initialState: {
      sorting: sortedBy ? [{ id: sortedBy.replace(/^-/, ""), desc: sortedBy.startsWith("-") }] : [],
    },
  });
  return (
    <div className={classes.frame}>
      <table className={classes.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const sorted = header.column.getIsSorted();
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={
                      sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : undefined
                    }
                  >
                    {header.column.getCanSort() ? (
                      <button
                        type="button"
                        className={classes.sort}
                        onClick={header.column.getToggleSortingHandler()}
                      >
                        <table.FlexRender header={header} />
                        <span aria-hidden="true">
                          {sorted === "asc" ? " ↑" : sorted === "desc" ? " ↓" : ""}
                        </span>
                      </button>
                    ) : (
                      <span className="visually-hidden">
                        <table.FlexRender header={header} />
                      </span>
                    )}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id} data-label={headOf(cell.column.columnDef.header)}>
                  <div>
                    <table.FlexRender cell={cell} />
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The header's text, repeated next to each value on narrow screens. */
const headOf = (header: unknown): string => (typeof header === "string" ? header : "");
