import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Plan } from "@/api/shapes";

/** How long typing has to pause before the server is asked. */
const PAUSE_MS = 250;

/** What the plan would do; the last answer stays in sight while the next one comes. */
export function useEstimate(plan: Plan | null) {
  const [settled] = useDebouncedValue(plan === null ? null : JSON.stringify(plan), PAUSE_MS);
  return useQuery({
    queryKey: ["estimate", settled],
    queryFn: () =>
      unwrap(api.POST("/api/v1/campaigns/estimate", { body: JSON.parse(settled ?? "") as Plan })),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
}
