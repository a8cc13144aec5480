import { Link } from "@tanstack/react-router";
import type { ListSearch } from "@/api/listSearch";
import { RUN_FILTERS } from "./filterNames";
import classes from "./HistoryTabs.module.css";

interface HistoryTabsProps {
  search: ListSearch;
}

const KEPT = ["q", ...RUN_FILTERS, "within", "from", "to"];

/** The tabs of the lists of campaigns, runs and schedules; the first two keep common filters. */
export function HistoryTabs({ search }: HistoryTabsProps) {
  const kept = Object.fromEntries(KEPT.map((name) => [name, search[name]]));
  return (
    <nav className={classes.tabs} aria-label="Lists">
      {(
        [
          { to: "/campaigns", name: "Campaigns", search: kept },
          { to: "/runs", name: "Runs", search: kept },
          { to: "/schedules", name: "Schedules", search: {} },
        ] as const
      ).map(({ to, name, search }) => (
        <Link
          key={to}
          to={to}
          search={search}
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
