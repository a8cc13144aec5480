import { useQuery } from "@tanstack/react-query";
import type { RunSummary } from "@/api/shapes";
import { kindsOf } from "./registry";

/**
 * Whether the code that shows these runs live is loaded: a page waits for it, so that nothing shifts
 * when it arrives. If it cannot be loaded, the part that needs it reports the error.
 */
export function useLiveCode(runs: readonly Pick<RunSummary, "kind">[]): boolean {
  const kinds = kindsOf(runs);
  const { isPending } = useQuery({
    queryKey: ["code", "live", kinds.map(({ name }) => name)],
    queryFn: () => Promise.all(kinds.map(async ({ Live }) => Live.preload?.() ?? null)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return kinds.length === 0 || !isPending;
}
