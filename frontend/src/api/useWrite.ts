import {
  type InvalidateQueryFilters,
  type QueryKey,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";

const under = (...queryKey: QueryKey): InvalidateQueryFilters => ({ queryKey });

/** What a change to each kind of object makes stale. */
const STALE = {
  arrays: ["arrays", "targets", "history"]
    .map((key) => under(key))
    .concat(under("lists", "arrays")),
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
