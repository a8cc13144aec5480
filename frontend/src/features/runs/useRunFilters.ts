import { useQuery } from "@tanstack/react-query";
import {
  arraysQuery,
  hostsQuery,
  profilesQuery,
  schedulesQuery,
  targetsQuery,
} from "@/api/queries";
import type { Filter } from "@/components/list/activeFilters";
import { VERDICT_FILTER } from "@/components/list/stateFilter";
import { KINDS } from "@/features/kinds/registry";

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
