import { useLocation, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef } from "react";
import type { Run } from "@/api/shapes";
import { begunOf } from "@/features/kinds/results";
import {
  directionsOf,
  type Sustained,
  type SustainedCell,
  type SustainedTrial,
} from "@/features/kinds/sustained/sustained";

/** What the horizontal axis shows. */
export type Over = "time" | "data" | "memory";

/** What a result page shows, from its address: a link shows the reader what the sender saw. */
interface ShownSearch {
  /** A cell by its key, and one of its repeats. */
  cell?: string;
  repeat?: string;
  /** A trial by its id, as a verdict links to its evidence; it decides over cell and repeat. */
  trial?: string;
  participant?: string;
  over?: Over;
}

export interface Shown {
  cell: SustainedCell | null;
  trial: SustainedTrial | null;
  /** Whose samples are drawn; undefined where there is only one participant. */
  participant: number | undefined;
  over: Over;
}

/** The part of a result that an address means; what it cannot mean takes its default. */
export function shownIn(result: Sustained, search: object): Shown {
  const { cell: key, repeat, trial: id, participant, over } = search as ShownSearch;
  const linked = result.cells.find(({ trials }) => trials.some((one) => String(one.id) === id));
  const cell =
    linked ??
    result.cells.find((one) => one.key === key) ??
    result.cells.find((one) => one.key === result.leading_cell) ??
    result.cells[0] ??
    null;
  const participants = directionsOf(result)[0]?.participants ?? [];
  const whose = participants.find((one) => String(one.id) === participant) ?? participants[0];
  return {
    cell,
    trial: cell && trialOf(cell, id, repeat),
    participant: result.participants.length > 1 ? whose?.id : undefined,
    over: over === "data" || over === "memory" ? over : "time",
  };
}

/** The linked trial, the repeat, the trial with the median rate, or the first that has begun. */
function trialOf(cell: SustainedCell, id?: string, repeat?: string): SustainedTrial | null {
  const begun = begunOf(cell);
  return (
    begun.find((trial) => String(trial.id) === id) ??
    begun.find((trial) => String(trial.repeat) === repeat) ??
    begun.find((trial) => trial.id === cell.shown_trial_id) ??
    begun[0] ??
    null
  );
}

/** The bytes that the host may cache; 0 if unknown, or if several hosts differ. */
export function memoryOf({ conditions }: Run): number {
  const { mem_limit_bytes: bytes } = conditions;
  return typeof bytes === "number" ? bytes : 0;
}

/** The limitations that the headline has not named: it names the levels of a single cell. */
export function unsaid({ cells, headline, warnings }: Sustained): Sustained["warnings"] {
  const isSaid = cells.length === 1 && Boolean(headline?.figure?.levels);
  return isSaid ? warnings.filter(({ code }) => code !== "cliff") : warnings;
}

/**
 * What the page shows. A change renews the address and moves nothing; a link to a trial moves the
 * page to the chart, which gets the returned reference.
 */
export function useShown(result: Sustained) {
  const search: ShownSearch = useSearch({ strict: false });
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  const navigate = useNavigate();
  const chart = useRef<HTMLDivElement>(null);
  const shown = shownIn(result, search);
  const { cell, trial } = shown;
  const change = useCallback(
    (changed: ShownSearch) =>
      navigate({
        to: ".",
        search: (before: object): object => ({
          ...before,
          cell: cell?.key,
          repeat: trial ? String(trial.repeat) : undefined,
          ...changed,
          trial: undefined,
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate, cell?.key, trial],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: each visit of the link shows it again
  useEffect(() => {
    if (search.trial) chart.current?.scrollIntoView({ block: "start" });
  }, [search.trial, visit]);
  return { ...shown, change, chart };
}
