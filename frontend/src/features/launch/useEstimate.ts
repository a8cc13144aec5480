import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Plan } from "@/api/shapes";
import type { Answer } from "./plan";

/** How long input must pause before a request is sent. */
const PAUSE_MS = 250;

/**
 * Estimate a plan; the last estimate stays visible while the next one loads. Criteria do not change
 * the figures, so a plan that is refused with criteria has those that it has without them.
 */
export function useEstimate(plan: Plan | null): Answer {
  const whole = useAnswer(plan);
  const isRefused = whole.current && whole.refusal !== null;
  const bare = useAnswer(isRefused && plan?.criteria ? withoutCriteria(plan) : null);
  return isRefused && bare.current ? { ...whole, estimate: bare.estimate } : whole;
}

const withoutCriteria = ({ criteria: _, ...plan }: Plan): Plan => plan;

function useAnswer(plan: Plan | null): Answer {
  const asked = plan === null ? null : JSON.stringify(plan);
  const [settled] = useDebouncedValue(asked, PAUSE_MS);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["estimate", settled],
    queryFn: () =>
      unwrap(api.POST("/api/v1/campaigns/estimate", { body: JSON.parse(settled ?? "") as Plan })),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
  const current = asked !== null && asked === settled && !isPlaceholderData;
  return { estimate: data, refusal: error, current };
}
