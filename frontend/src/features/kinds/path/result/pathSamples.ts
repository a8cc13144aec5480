import type { QueryClient } from "@tanstack/react-query";
import type { Result } from "@/api/shapes";
import { asPath, type Path, type PathLeg } from "@/features/kinds/path/path";
import type { TrialEnd } from "@/features/transfers/courses";
import { endSamplesQuery } from "@/features/transfers/endSamples";
import { shownIn } from "./shown";

/**
 * The ends that take part in a leg, those of each pair one after the other: the sender does not write,
 * and the receiver does not read.
 */
export const endsOf = ({ participants }: Path, { leg }: Pick<PathLeg, "leg">): TrialEnd[] =>
  participants.flatMap(({ id, host, path, role }) => {
    if (role !== "sender" && role !== "receiver") return [];
    const takesPart = role === "sender" ? leg !== "write" : leg !== "read";
    return takesPart ? [{ participant: id, role, host, path }] : [];
  });

/** Start loading the trial that the page opens with. */
export async function prefetchTrial(client: QueryClient, result: Result, search: object) {
  const path = asPath(result);
  const { leg, trial } = shownIn(path, search);
  if (leg && trial) await client.prefetchQuery(endSamplesQuery(client, trial, endsOf(path, leg)));
}
