import { Button } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
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
import { useId, useState } from "react";
import classes from "./DataTable.module.css";

/**
 * Where a column stands in a row of two lines, on a phone: `select` beside both; `lead` on the first
 * line, the last of which takes what room there is, and `figure` at its end; `second` on the second
 * line, and `named` with its heading. What has no place shows when the row is unfolded.
 */
type NarrowPlace = "select" | "lead" | "figure" | "second" | "named";

const features = tableFeatures({
  columnMeta: {} as { narrow: NarrowPlace },
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_text, datetime: sortFn_datetime },
});

/** Columns of a `DataTable`; keep them outside the component that renders it. */
export const columnsOf = <Row extends RowData>() => createColumnHelper<typeof features, Row>();

/** The column of the rows' ids. */
export const ID = {
  header: "ID",
  cell: ({ getValue }: { getValue: () => number }) => <span className="figures">{getValue()}</span>,
};

type Props<Row extends RowData> = {
  /** The table's name, for screen readers. */
  caption: string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has its own value type
  columns: ColumnDef<typeof features, Row, any>[];
  rows: Row[];
  rowId: (row: Row) => string | number;
  /** The initial sort column; "-name" for descending order. */
  sortedBy?: string;
  /** The server's order, instead of one of this table. */
  sorting?: Sorting;
};

type Sorting = {
  /** The column that the rows are sorted by; "-name" for descending order. */
  by: string;
  /** The columns that the server can sort by. */
  columns: readonly string[];
  onSort: (by: string) => void;
};

type Direction = "asc" | "desc" | false;

/** A click on the sorted column reverses it; times and ids begin with the newest. */
function nextSort(id: string, sorted: Direction): string {
  if (sorted) return sorted === "asc" ? `-${id}` : id;
  return id === "id" || id.endsWith("_at") || id === "at" ? `-${id}` : id;
}

/** A table that sorts by its headers; on a phone each row has two lines and unfolds to all columns. */
export function DataTable<Row extends RowData>(props: Props<Row>) {
  const { caption, columns, rows, rowId, sortedBy, sorting } = props;
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
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const fold = (row: string) => {
    const next = new Set(unfolded);
    if (!next.delete(row)) next.add(row);
    setUnfolded(next);
  };
  const base = useId();
  const name = table
    .getAllColumns()
    .findLast(({ columnDef }) => columnDef.meta?.narrow === "lead")?.id;
  return (
    <div className={classes.frame}>
      <table className={classes.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => {
                const id = header.column.id;
                const sorted: Direction = sorting
                  ? directionOf(id, sorting.by)
                  : header.column.getIsSorted();
                const canSort = sorting ? sorting.columns.includes(id) : header.column.getCanSort();
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={
                      sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : undefined
                    }
                  >
                    {canSort ? (
                      <button
                        type="button"
                        className={classes.sort}
                        onClick={
                          sorting
                            ? () => sorting.onSort(nextSort(id, sorted))
                            : header.column.getToggleSortingHandler()
                        }
                      >
                        <table.FlexRender header={header} />
                        <span aria-hidden="true">
                          {sorted === "asc" ? " ↑" : sorted === "desc" ? " ↓" : ""}
                        </span>
                      </button>
                    ) : (
                      <span className={hasButtons(header.column) ? "visually-hidden" : undefined}>
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
          {table.getRowModel().rows.map((row) => {
            const isUnfolded = unfolded.has(row.id);
            const [nameId, foldId] = [`${base}${row.index}-name`, `${base}${row.index}-fold`];
            return (
              <tr key={row.id} data-unfolded={isUnfolded}>
                {row.getAllCells().map((cell) => {
                  const { id, columnDef } = cell.column;
                  return (
                    <td
                      key={cell.id}
                      data-label={headOf(columnDef.header)}
                      data-place={columnDef.meta?.narrow ?? "folded"}
                    >
                      <div id={id === name ? nameId : undefined}>
                        <table.FlexRender cell={cell} />
                      </div>
                      {id === name ? (
                        // here, so that the keyboard reaches what it unfolds after it
                        <button
                          type="button"
                          id={foldId}
                          className={classes.fold}
                          aria-label="Details of"
                          aria-labelledby={`${foldId} ${nameId}`}
                          aria-expanded={isUnfolded}
                          onClick={() => fold(row.id)}
                        >
                          <IconChevronDown size={18} stroke={1.5} aria-hidden="true" />
                        </button>
                      ) : null}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a column has no values: its heading is for screen readers only. */
const hasButtons = (column: { accessorFn?: unknown }): boolean => column.accessorFn === undefined;

const directionOf = (id: string, by: string): Direction =>
  by === id ? "asc" : by === `-${id}` ? "desc" : false;

/** The header's text, next to the value in an unfolded row. */
const headOf = (header: unknown): string => (typeof header === "string" ? header : "");

interface OlderRowsProps {
  /** The list, page by page. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  /** What it lists: "campaigns". */
  what: string;
}

/** Below a list that has more pages: shows the next one below the rows that are there. */
export function OlderRows({ list, what }: OlderRowsProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button
      className={classes.older}
      variant="default"
      loading={list.isFetchingNextPage}
      onClick={() => list.fetchNextPage()}
    >
      Show more {what}
    </Button>
  );
}
