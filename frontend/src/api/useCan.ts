import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "./queries";
import type { Role } from "./shapes";

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

/** Whether the role `own` includes `needed`. */
const includes = (own: Role, needed: Role): boolean => RANK[own] >= RANK[needed];

/** Whether the signed-in user has at least this role; the API has the final say. */
export function useCan(needed: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data !== undefined && includes(data.user.role, needed);
}

/** The roles, least privileged first. */
export const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer" },
  { value: "operator", label: "Operator" },
  { value: "admin", label: "Administrator" },
];

/** The roles that a user with the role `own` may give to a token. */
export const rolesUpTo = (own: Role) => ROLES.filter(({ value }) => includes(own, value));
