import { Link } from "@tanstack/react-router";
import type { ListSearch } from "@/api/listSearch";
import { RUN_FILTERS } from "./filterNames";
import classes from "./HistoryTabs.module.css";

interface HistoryTabsProps {
  search: ListSearch;
}

const KEPT = ["q", ...RUN_FILTERS, "within", "from", "to"];

/** The tabs of the lists of campaigns and of runs; a change keeps the filters that both have. */
export function HistoryTabs({ search }: HistoryTabsProps) {
  const kept = Object.fromEntries(KEPT.map((name) => [name, search[name]]));
  return (
    <nav className={classes.tabs} aria-label="Lists">
      {(
        [
          { to: "/campaigns", name: "Campaigns" },
          { to: "/runs", name: "Runs" },
        ] as const
      ).map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          search={kept}
          className={classes.tab}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ "data-here": true }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
