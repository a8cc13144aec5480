import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import type { Path } from "@/features/kinds/path/shapes";
import { type ShownSearch, settingKey, shownIn } from "./shown";

/**
 * What the page shows. A change renews the address and moves nothing; a link to a trial moves the
 * page to the chart, which gets the returned reference.
 */
export function useShown(result: Path) {
  const search: ShownSearch = useSearch({ strict: false });
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const navigate = useNavigate();
  const chart = useRef<HTMLDivElement>(null);
  const shown = shownIn(result, search);
  const setting = shown.setting ? settingKey(shown.setting) : undefined;
  const leg = shown.leg?.leg;
  const change = useCallback(
    (changed: ShownSearch) =>
      navigate({
        to: ".",
        search: (before: object): object => ({
          ...before,
          setting,
          leg,
          ...changed,
          trial: undefined,
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate, setting, leg],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit of the link shows it again
  useEffect(() => {
    if (search.trial) chart.current?.scrollIntoView({ block: "start" });
  }, [search.trial, visit]);
  return { ...shown, change, chart };
}
