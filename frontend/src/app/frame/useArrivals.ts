import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";

/** How often the page changed since the first one; other search parameters are the same page. */
export function useArrivals(): number {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [last, setLast] = useState({ path, arrivals: 0 });
  if (path === last.path) return last.arrivals;
  const arrivals = last.path === undefined ? 0 : last.arrivals + 1;
  setLast({ path, arrivals });
  return arrivals;
}
