import { ROLES } from "@/api/useCan";
import type { Filter } from "@/components/list/activeFilters";

/** A filter of users and tokens by their role. */
export const ROLE_FILTER: Filter = {
  name: "role",
  label: "Role",
  several: true,
  options: ROLES,
};
