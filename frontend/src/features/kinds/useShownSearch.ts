import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";

/**
 * What a result page shows, as its address has it. A change renews the address and moves nothing; a link
 * to a trial moves the page to the chart, which gets the returned reference. A change ends such a link.
 */
export function useShownSearch<Search extends { trial?: string }>() {
  const found: object = useSearch({ strict: false });
  const search = found as Search;
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const navigate = useNavigate();
  const chart = useRef<HTMLDivElement>(null);
  const change = useCallback(
    (changed: Search) =>
      navigate({
        to: ".",
        search: (before: object): object => ({
          ...before,
          ...changed,
          trial: undefined,
          zoom: undefined,
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit of the link shows it again
  useEffect(() => {
    if (search.trial) chart.current?.scrollIntoView({ block: "start" });
  }, [search.trial, visit]);
  return { search, change, chart };
}
