import { Button } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { Match, Matches as MatchList } from "@/api/shapes";
import { useCan, useWrite } from "@/api/writes";
import { ConfirmButton } from "@/components/Buttons";
import { Notice } from "@/components/feedback/Notices";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { counted, RelativeTime } from "@/components/quantities";
import classes from "./Matches.module.css";

/** What may have been registered again, of those of a host or an array. */
const matchesQuery = (of: { host_id: number } | { array_id: number }) =>
  queryOptions({
    queryKey: ["history", "matches", of],
    queryFn: () => unwrap(api.GET("/api/v1/matches", { params: { query: of } })),
  });

const REASONS: Record<Match["reasons"][number], string> = {
  file_system_uuid: "the same file system UUID",
  device_id: "the same device serial number",
  machine_and_path: "the same machine and path",
  machine_id: "the same machine id",
  serial_number: "the same serial number",
};

const SAME: Record<Match["of"], string> = {
  host: "the same machine as the deleted host",
  target: "the same storage as the deleted target",
  array: "the same array as the deleted one,",
};

/** The most clones that are named. */
const MOST_CLONES = 3;

const clonesShown = (clones: readonly string[]): string[] =>
  clones.length > MOST_CLONES
    ? [...clones.slice(0, MOST_CLONES - 1), `${clones.length - MOST_CLONES + 1} others`]
    : [...clones];

/** "a", "a and b", "a, b and c". */
const listed = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;

/** Deleted hosts, targets and arrays whose runs may belong here, and the decisions so far. */
export function Matches({ of }: { of: { host_id: number } | { array_id: number } }) {
  const { data } = useQuery(matchesQuery(of));
  if (!data || data.items.length + data.decided.length === 0) return null;
  return (
    <div className={classes.matches}>
      {data.items.map((match) => (
        <OneMatch key={`${match.of} ${match.id} ${match.earlier.id}`} match={match} />
      ))}
      <PastDecisions decided={data.decided} />
    </div>
  );
}

function OneMatch({ match }: { match: Match }) {
  const { of, name, earlier, reasons, clones } = match;
  const mayDecide = useCan("operator");
  const decide = useWrite("history", (same: boolean) => decideMatch(match, earlier.id, same));
  const runs = counted(earlier.runs, "run");
  return (
    <Notice title={`Is ${name} ${SAME[of]} ${earlier.name}?`}>
      <p className={classes.why}>
        It has {listed(reasons.map((reason) => REASONS[reason]))}. The deleted one{" "}
        {earlier.array ? `belonged to array ${earlier.array} and ` : ""}has {runs}, the last one{" "}
        <RelativeTime at={earlier.last_run_at} />.{" "}
        {clones.length > 0 ? (
          <strong>
            {listed(clonesShown(clones))} {clones.length > 1 ? "have" : "has"} the same identifiers,
            so at least one is a clone. Check which one the runs measured before you confirm.
          </strong>
        ) : (
          "A clone has the same identifiers, so check before you confirm."
        )}
      </p>
      {decide.error ? <ProblemPanel error={decide.error} /> : null}
      {mayDecide ? (
        <div className={classes.actions}>
          <ConfirmButton
            label="Keep history"
            variant="default"
            question={`Keep the history of ${earlier.name}?`}
            consequence={`Its ${runs} will belong to ${name}. Their results stay as they are. You can undo this.`}
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

type Decision = MatchList["decided"][number];

/** The decisions on matches so far, folded; each can be undone. */
function PastDecisions({ decided }: { decided: readonly Decision[] }) {
  if (decided.length === 0) return null;
  return (
    <details className={classes.past}>
      <summary>Decided matches ({decided.length})</summary>
      <ul>
        {decided.map((decision) => (
          <PastDecision
            key={`${decision.of} ${decision.id} ${decision.earlier_id}`}
            decision={decision}
          />
        ))}
      </ul>
    </details>
  );
}

function PastDecision({ decision }: { decision: Decision }) {
  const { of, name, earlier_id, earlier_name, same, runs, decided_by, decided_at } = decision;
  const mayDecide = useCan("operator");
  const undo = useWrite("history", () => undoMatch(decision, earlier_id));
  const moved = counted(runs, "run");
  return (
    <li>
      <div className={classes.decision}>
        <span>
          {same
            ? `${moved} of the deleted ${of} ${earlier_name} ${runs === 1 ? "belongs" : "belong"} to ${name}`
            : `${name} is not the deleted ${of} ${earlier_name}`}
          , decided by {decided_by} <RelativeTime at={decided_at} />
        </span>
        {mayDecide ? (
          <ConfirmButton
            label="Undo"
            variant="default"
            question={
              same ? `Give the runs back to ${earlier_name}?` : `Propose ${earlier_name} again?`
            }
            consequence={
              same
                ? `The ${moved} that moved to ${name} will belong to the deleted ${of} again and leave the history here. Runs launched since stay, and no result changes. The match is then proposed again.`
                : "You will be asked again whether both are the same. No run moves."
            }
            loading={undo.isPending}
            onConfirm={() => undo.mutate()}
          />
        ) : null}
      </div>
      {undo.error ? <ProblemPanel error={undo.error} /> : null}
    </li>
  );
}

type Subject = Pick<Match, "of" | "id">;

/** Stores whether a host, target or array is the same as a deleted one. */
function decideMatch({ of, id }: Subject, earlier: number, same: boolean) {
  const body = { same };
  if (of === "host") {
    const path = { host_id: id, earlier_host_id: earlier };
    const url = "/api/v1/hosts/{host_id}/matches/{earlier_host_id}";
    return unwrap(api.PUT(url, { params: { path }, body }));
  }
  if (of === "array") {
    const path = { array_id: id, earlier_array_id: earlier };
    const url = "/api/v1/arrays/{array_id}/matches/{earlier_array_id}";
    return unwrap(api.PUT(url, { params: { path }, body }));
  }
  const path = { target_id: id, earlier_id: earlier };
  return unwrap(
    api.PUT("/api/v1/targets/{target_id}/matches/{earlier_id}", { params: { path }, body }),
  );
}

/** Withdraws the decision, so that the match is proposed again. */
function undoMatch({ of, id }: Subject, earlier: number) {
  if (of === "host") {
    const path = { host_id: id, earlier_host_id: earlier };
    const url = "/api/v1/hosts/{host_id}/matches/{earlier_host_id}";
    return unwrap(api.DELETE(url, { params: { path } }));
  }
  if (of === "array") {
    const path = { array_id: id, earlier_array_id: earlier };
    const url = "/api/v1/arrays/{array_id}/matches/{earlier_array_id}";
    return unwrap(api.DELETE(url, { params: { path } }));
  }
  const path = { target_id: id, earlier_id: earlier };
  return unwrap(
    api.DELETE("/api/v1/targets/{target_id}/matches/{earlier_id}", { params: { path } }),
  );
}
