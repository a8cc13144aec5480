import type { Role } from "@/api/shapes";
import { includes } from "@/api/useCan";

/** The roles from the least to the most. */
export const ROLES: { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer" },
  { value: "operator", label: "Operator" },
  { value: "admin", label: "Administrator" },
];

/** The roles that somebody of the role `own` may give to a token. */
export const rolesUpTo = (own: Role) => ROLES.filter(({ value }) => includes(own, value));
