import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "./queries";
import type { Role } from "./shapes";

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

/** Whether `own` may do what asks for `needed`. */
export const includes = (own: Role, needed: Role): boolean => RANK[own] >= RANK[needed];

/** Whether the person at the page may do what asks for this role; the API decides in the end. */
export function useCan(needed: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data !== undefined && includes(data.user.role, needed);
}
