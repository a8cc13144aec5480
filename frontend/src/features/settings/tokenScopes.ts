import type { Role, Scope } from "@/api/shapes";
import { ROLES } from "@/api/useCan";

/** What a token may do of its role, with the role that includes it, in the order of the API. */
export const SCOPES: readonly { value: Scope; label: string; about: string; role: Role }[] = [
  { value: "read", label: "Read", about: "Everything, and estimates", role: "viewer" },
  { value: "launch", label: "Launch", about: "Launch and cancel campaigns", role: "operator" },
  {
    value: "hosts",
    label: "Manage hosts",
    about: "Hosts, their keys and labels, targets and arrays",
    role: "operator",
  },
  {
    value: "edit",
    label: "Edit",
    about: "Profiles, names, notes and waivers; delete campaigns",
    role: "operator",
  },
  {
    value: "admin",
    label: "Administer",
    about: "Users, tokens, credentials, tools, audit log",
    role: "admin",
  },
];

const rank = (role: Role): number => ROLES.findIndex(({ value }) => value === role);

/** The scopes that a role includes. */
export const scopesOf = (role: Role): Scope[] =>
  SCOPES.filter((scope) => rank(scope.role) <= rank(role)).map(({ value }) => value);

/** Scopes as the API takes them: null for all of the role, also of those that may be added. */
export const chosenScopes = (role: Role, scopes: readonly Scope[]): Scope[] | null =>
  scopesOf(role).every((scope) => scopes.includes(scope)) ? null : [...scopes];

/** "Read, launch" */
export function scopeWords(scopes: readonly Scope[]): string {
  const words = SCOPES.filter(({ value }) => scopes.includes(value)).map(({ label }) => label);
  const text = words.join(", ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
