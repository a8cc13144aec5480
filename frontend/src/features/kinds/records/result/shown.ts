import type { QueryClient } from "@tanstack/react-query";
import type { Result } from "@/api/shapes";
import {
  asRecords,
  type Records,
  type RecordsCell,
  type RecordsTrial,
} from "@/features/kinds/records/records";
import { begunOf } from "@/features/kinds/results";
import type { TrialEnd } from "@/features/transfers/courses";
import { endSamplesQuery } from "@/features/transfers/endSamples";

/** What a result page shows, from its address: a link shows the reader what the sender saw. */
export interface ShownSearch {
  /** A record length in bytes, and one of its repeats. */
  length?: string;
  repeat?: string;
  /** A trial by its id, as a verdict links to its evidence; it decides over the others. */
  trial?: string;
}

export interface Shown {
  cell: RecordsCell | null;
  trial: RecordsTrial | null;
}

/** The part of a result that an address means; what it cannot mean takes its default. */
export function shownIn({ cells, best }: Records, search: object): Shown {
  const { length, repeat, trial: id } = search as ShownSearch;
  const cell =
    cells.find(({ trials }) => trials.some((one) => String(one.id) === id)) ??
    cells.find((one) => String(one.record_bytes) === length) ??
    cells[best ?? -1] ??
    cells.find((one) => begunOf(one).length > 0) ??
    null;
  const begun = cell ? begunOf(cell) : [];
  const trial =
    begun.find((one) => String(one.id) === id) ??
    begun.find((one) => String(one.repeat) === repeat) ??
    begun.find((one) => one.id === cell?.trial_id) ??
    begun[0] ??
    null;
  return { cell, trial };
}

/** All senders, then the receiver. */
export const endsOf = ({ participants }: Records): TrialEnd[] =>
  participants.flatMap(({ id, host, path, role }) =>
    role === "sender" || role === "receiver" ? [{ participant: id, role, host, path }] : [],
  );

/** Start loading the trial that the page opens with. */
export async function prefetchTrial(client: QueryClient, result: Result, search: object) {
  const records = asRecords(result);
  const { trial } = shownIn(records, search);
  if (trial) await client.prefetchQuery(endSamplesQuery(client, trial, endsOf(records)));
}
