import { useNavigate, useSearch } from "@tanstack/react-router";
import { isFiltered, type ListSearch } from "@/api/listSearch";

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
