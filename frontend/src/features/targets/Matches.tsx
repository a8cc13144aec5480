import { Button } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Match } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { Notice } from "@/components/feedback/Notice";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { counted, RelativeTime } from "@/components/quantities";
import classes from "./Matches.module.css";

/** Deleted targets that may be those of a host or an array. */
const matchesQuery = (of: { host_id: number } | { array_id: number }) =>
  queryOptions({
    queryKey: ["history", "matches", of],
    queryFn: () => unwrap(api.GET("/api/v1/matches", { params: { query: of } })),
  });

const REASONS: Record<Match["reasons"][number], string> = {
  file_system_uuid: "the same file system UUID",
  device_id: "the same device serial number",
  machine_and_path: "the same machine and path",
};

/** Deleted targets whose runs may belong to one of a host or of an array, each to be decided on. */
export function Matches({ of }: { of: { host_id: number } | { array_id: number } }) {
  const { data } = useQuery(matchesQuery(of));
  if (!data || data.items.length === 0) return null;
  return (
    <div className={classes.matches}>
      {data.items.map((match) => (
        <OneMatch key={`${match.target.id} ${match.earlier.id}`} match={match} />
      ))}
    </div>
  );
}

function OneMatch({ match: { host, target, earlier, reasons } }: { match: Match }) {
  const mayDecide = useCan("operator");
  const decide = useWrite("history", (same: boolean) =>
    unwrap(
      api.PUT("/api/v1/targets/{target_id}/matches/{earlier_id}", {
        params: { path: { target_id: target.id, earlier_id: earlier.id } },
        body: { same },
      }),
    ),
  );
  const [place, before] = [`${host.name}:${target.path}`, `${earlier.host.name}:${earlier.path}`];
  const runs = counted(earlier.runs, "run");
  return (
    <Notice title={`Is ${place} the same storage as the deleted target ${before}?`}>
      <p className={classes.why}>
        It has {reasons.map((reason) => REASONS[reason]).join(", ")}. The deleted one{" "}
        {earlier.array ? `belonged to array ${earlier.array} and ` : ""}has {runs}, the last one{" "}
        <RelativeTime at={earlier.last_run_at} />. A clone has the same identifiers, so check before
        you confirm.
      </p>
      {decide.error ? <ProblemPanel error={decide.error} /> : null}
      {mayDecide ? (
        <div className={classes.actions}>
          <ConfirmButton
            label="Keep history"
            variant="default"
            question={`Keep the history of ${before}?`}
            consequence={`Its ${runs} will belong to ${place}. This cannot be undone.`}
            loading={decide.isPending && decide.variables}
            onConfirm={() => decide.mutate(true)}
          />
          <Button
            variant="subtle"
            loading={decide.isPending && !decide.variables}
            onClick={() => decide.mutate(false)}
          >
            Not the same
          </Button>
        </div>
      ) : null}
    </Notice>
  );
}
