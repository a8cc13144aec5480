/** What a write needs: the role, the version of the object, and what becomes outdated. */
import {
  type InvalidateQueryFilters,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useRef } from "react";
import { sessionQuery } from "./queries";
import type { Role } from "./shapes";

const under = (...queryKey: QueryKey): InvalidateQueryFilters => ({ queryKey });

/** What a change to each kind of object makes stale. */
export const STALE = {
  arrays: ["arrays", "targets", "history"]
    .map((key) => under(key))
    .concat(under("lists", "arrays")),
  attention: ["campaigns", "overview", "lists"].map((key) => under(key)),
  // Pages that show campaigns poll or stream; a launch need not wait for them.
  campaigns: ["campaigns", "runs", "overview", "lists"].map((key) => ({
    ...under(key),
    refetchType: "none" as const,
  })),
  credentials: [under("credentials"), under("lists", "credentials")],
  // A host that was just deleted must not be fetched again, only the list.
  hosts: [{ ...under("hosts"), exact: true }, under("targets"), under("lists", "hosts")],
  history: ["history", "targets", "arrays", "runs", "lists"].map((key) => under(key)),
  notes: [under("notes")],
  retention: [under("retention")],
  profiles: [under("profiles"), under("lists", "profiles")],
  schedules: [under("schedules"), under("lists", "schedules"), under("overview")],
  shares: [under("shares")],
  targets: ["targets", "hosts", "arrays", "lists", "history"].map((key) => under(key)),
  tokens: [under("lists", "tokens")],
  tools: [under("tools")],
  users: [under("lists", "users")],
  views: [under("views")],
  webhooks: ["webhooks", "lists", "overview"].map((key) => under(key)),
  verdicts: ["verdicts", "campaigns", "runs", "overview", "lists"].map((key) => under(key)),
} satisfies Record<string, InvalidateQueryFilters[]>;

export type Changed = keyof typeof STALE;

/**
 * A mutation that knows what it invalidates. `onSaved` runs once the affected queries are fetched
 * again; after a failure they are too, since a refused change often means that the page is outdated.
 */
export function useWrite<Input = void, Saved = unknown>(
  changed: Changed,
  send: (input: Input) => Promise<Saved>,
  onSaved?: (saved: Saved, input: Input) => unknown,
) {
  const queryClient = useQueryClient();
  const invalidate = () =>
    Promise.all(STALE[changed].map((filters) => queryClient.invalidateQueries(filters)));
  return useMutation({
    mutationFn: send,
    onSuccess: async (saved, input) => {
      await invalidate();
      await onSaved?.(saved, input);
    },
    onError: () => void invalidate(),
  });
}

type Tagged = { etag: string };

/** The headers that reject a change if the object is no longer the version with this tag. */
export const ifMatch = (etag: string | undefined): { "If-Match"?: string } =>
  etag === undefined ? {} : { "If-Match": etag };

/**
 * The version of an object that a form was opened with: what it shows is fetched again meanwhile,
 * but a change is of what the user saw. `saved` is the version after the form's own change.
 */
export function useVersion(opened: Tagged | undefined) {
  const etag = useRef(opened?.etag);
  return {
    header: () => ifMatch(etag.current),
    saved: (object: Tagged) => {
      etag.current = object.etag;
    },
  };
}

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
