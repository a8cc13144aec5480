import { Button, Checkbox } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { RowData } from "@tanstack/react-table";
import { type ComponentProps, createContext, type ReactNode, useContext, useState } from "react";
import { isFiltered, type ListSearch } from "@/api/listSearch";
import { Empty } from "@/components/feedback/Notices";
import { Resolved } from "@/components/feedback/Resolved";
import { DataTable, OlderRows } from "@/components/table/DataTable";
import classes from "./List.module.css";

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

type Selected = { ids: ReadonlySet<number>; toggle: (id: number) => void };

const SelectionContext = createContext<Selected>({ ids: new Set(), toggle: () => {} });

interface SelectionProps {
  /** The ids of the rows that can be selected now; others are no longer selected. */
  among: readonly number[];
  /** What can be done with the selected rows. */
  actions: (ids: number[], clear: () => void) => ReactNode;
  children: ReactNode;
}

/** A list whose rows can be selected for an action on several; the actions are above it. */
export function Selection({ among, actions, children }: SelectionProps) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const ids = among.filter((id) => chosen.has(id));
  const toggle = (id: number) => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <SelectionContext value={{ ids: new Set(ids), toggle }}>
      {ids.length > 0 ? (
        <section className={classes.selection} aria-label="Selected rows">
          <span role="status">{ids.length} selected</span>
          {actions(ids, () => setChosen(new Set()))}
        </section>
      ) : null}
      {children}
    </SelectionContext>
  );
}

/** Selects the row with this id; `label` names it. */
export function SelectBox({ id, label }: { id: number; label: string }) {
  const { ids, toggle } = useContext(SelectionContext);
  return (
    <Checkbox aria-label={`Select ${label}`} checked={ids.has(id)} onChange={() => toggle(id)} />
  );
}

export type ListView = {
  /** The filters and the order in the URL. */
  search: ListSearch;
  /** The same, with the page's order if the URL has none. */
  asked: ListSearch & { sort: string };
  isFiltered: boolean;
  /** Change some filters or the order; undefined removes one. */
  change: (changes: ListSearch) => void;
  /** Remove all filters, keep the order. */
  clear: () => void;
};

/**
 * The filters and the order of the page's list, which are in its URL; `by` is the page's order. The
 * parameters `others` belong to other parts of the page.
 */
export function useListView(by: string, others: readonly string[] = []): ListView {
  const all: ListSearch = useSearch({ strict: false });
  const parted = Object.entries(all);
  const search = Object.fromEntries(parted.filter(([name]) => !others.includes(name)));
  const kept = Object.fromEntries(parted.filter(([name]) => others.includes(name)));
  const navigate = useNavigate();
  // A filter is no page of its own: "back" leaves the list, and the scroll position stays.
  const go = (next: ListSearch) =>
    void navigate({
      to: ".",
      search: { ...next, ...kept } as never,
      replace: true,
      resetScroll: false,
    });
  return {
    search,
    asked: { ...search, sort: search.sort ?? by },
    isFiltered: isFiltered(search),
    change: (changes) => go({ ...search, ...changes }),
    clear: () => go({ sort: search.sort }),
  };
}
