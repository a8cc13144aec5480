import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { useRateUnit } from "@/components/quantities";
import { type Reading, type ReadingSearch, readingFor, readingIn } from "./reading";
import type { RateKind } from "./shapes";

/** The page's reading, from its address; a change renews the address and moves nothing. */
export function useReading(rates: readonly RateKind[]) {
  const search = readingIn(useSearch({ strict: false }));
  const navigate = useNavigate();
  const { unit } = useRateUnit();
  const change = useCallback(
    (changed: ReadingSearch) =>
      navigate({
        to: ".",
        search: (before: object) => ({ ...before, ...changed }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const reading: Reading = readingFor(search, rates, unit);
  const repeat = search.repeat === undefined ? null : Number(search.repeat);
  return { reading, cell: search.cell ?? null, repeat, change };
}
