import type { Matches } from "@/api/shapes";
import { useCan } from "@/api/useCan";
import { useWrite } from "@/api/useWrite";
import { ConfirmButton } from "@/components/ConfirmButton";
import { ProblemPanel } from "@/components/feedback/ProblemPanel";
import { counted, RelativeTime } from "@/components/quantities";
import { undoMatch } from "./decideMatch";
import classes from "./Matches.module.css";

type Decision = Matches["decided"][number];

/** The decisions on matches so far, folded; each can be undone. */
export function PastDecisions({ decided }: { decided: readonly Decision[] }) {
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
