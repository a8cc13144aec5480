import type { QueryClient } from "@tanstack/react-query";
import type { Result } from "@/api/shapes";
import { asTools, type Tools } from "@/features/kinds/tool/tool";
import type { TrialEnd } from "@/features/transfers/courses";
import { endSamplesQuery } from "@/features/transfers/endSamples";
import { shownIn } from "./shown";

/** Source and sink. */
export const endsOf = ({ participants }: Tools): TrialEnd[] =>
  participants.flatMap(({ id, host, path, role }) =>
    role === "sender" || role === "receiver" ? [{ participant: id, role, host, path }] : [],
  );

/** Start loading the trial that the page opens with. */
export async function prefetchTrial(client: QueryClient, result: Result, search: object) {
  const tools = asTools(result);
  const { trial } = shownIn(tools, search);
  if (trial) {
    await client.prefetchQuery(endSamplesQuery(client, trial, endsOf(tools), { links: false }));
  }
}
