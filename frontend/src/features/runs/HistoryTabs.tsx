import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ListSearch, RUN_FILTERS } from "@/api/listSearch";
import {
  arraysQuery,
  hostsQuery,
  profilesQuery,
  schedulesQuery,
  targetsQuery,
} from "@/api/queries";
import { type Filter, VERDICT_FILTER } from "@/components/list/filters";
import { KINDS } from "@/features/kinds/registry";
import classes from "./Runs.module.css";

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

const KIND: Filter = {
  name: "kind",
  label: "Test kind",
  several: true,
  options: KINDS.map(({ name, label }) => ({ value: name, label })),
};

type Named = { id: number; name: string };
const named = ({ id, name }: Named) => ({ value: String(id), label: name });

/** Filters by verdict, host, array, target, profile, kind and, if there are any, schedule. */
export function useRunFilters(): Filter[] {
  const hosts = useQuery(hostsQuery).data?.items ?? [];
  const arrays = useQuery(arraysQuery).data?.items ?? [];
  const targets = useQuery(targetsQuery()).data?.items ?? [];
  const profiles = useQuery(profilesQuery).data?.items ?? [];
  const schedules = useQuery(schedulesQuery).data?.items ?? [];
  return [
    VERDICT_FILTER,
    { name: "host_id", label: "Host", options: hosts.map(named) },
    { name: "array_id", label: "Array", options: arrays.map(named) },
    {
      name: "target_id",
      label: "Target",
      options: targets.map(({ id, host_name, path }) => ({
        value: String(id),
        label: `${host_name} ${path}`,
      })),
    },
    {
      name: "profile",
      label: "Profile",
      options: profiles.map(({ slug, name }) => ({ value: slug, label: name })),
    },
    KIND,
    ...(schedules.length > 0
      ? [{ name: "schedule", label: "Schedule", options: schedules.map(named) }]
      : []),
  ];
}
