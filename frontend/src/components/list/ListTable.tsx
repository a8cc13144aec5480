import { Button } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import type { ComponentProps, ReactNode } from "react";
import { Empty } from "@/components/feedback/Empty";
import { Resolved } from "@/components/feedback/Resolved";
import { DataTable } from "@/components/table/DataTable";
import { OlderRows } from "@/components/table/OlderRows";
import classes from "./ListTable.module.css";
import type { ListView } from "./useListView";

interface ListTableProps<Row extends RowData>
  extends Pick<ComponentProps<typeof DataTable<Row>>, "columns" | "rowId" | "caption"> {
  /** What is listed, for messages: "campaigns". */
  what: string;
  list: UseInfiniteQueryResult<{ pages: { items: Row[] }[] }>;
  view: ListView;
  /** The columns by which the server sorts. */
  sorts: readonly string[];
  /** What is shown if there is nothing to list, even without filters. */
  empty: ReactNode;
}

/** A list that the server filters, sorts and pages. */
export function ListTable<Row extends RowData>(props: ListTableProps<Row>) {
  const { what, list, view, sorts, empty, ...table } = props;
  return (
    <div aria-busy={list.isPlaceholderData} className={classes.list}>
      <Resolved query={list} what={what}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          if (rows.length > 0) {
            const sorting = { by: view.asked.sort, columns: sorts };
            return (
              <DataTable
                {...table}
                rows={rows}
                sorting={{ ...sorting, onSort: (sort) => view.change({ sort }) }}
              />
            );
          }
          if (!view.isFiltered) return empty;
          return (
            <Empty
              title={`No ${what} match the filters`}
              action={
                <Button variant="default" onClick={view.clear}>
                  Clear filters
                </Button>
              }
            />
          );
        }}
      </Resolved>
      <OlderRows list={list} what={what} />
    </div>
  );
}
