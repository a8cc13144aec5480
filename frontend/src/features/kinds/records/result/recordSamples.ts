import type { QueryClient } from "@tanstack/react-query";
import type { Result } from "@/api/shapes";
import { asRecords, type Records } from "@/features/kinds/records/shapes";
import type { TrialEnd } from "@/features/transfers/courses";
import { endSamplesQuery } from "@/features/transfers/endSamples";
import { shownIn } from "./shown";

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
