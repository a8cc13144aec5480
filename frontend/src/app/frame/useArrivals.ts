import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";

/** Count navigations to another page; a change of search parameters is not one. */
export function useArrivals(): number {
  const path = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const [last, setLast] = useState({ path, arrivals: 0 });
  if (path === last.path) return last.arrivals;
  const arrivals = last.path === undefined ? 0 : last.arrivals + 1;
  setLast({ path, arrivals });
  return arrivals;
}
