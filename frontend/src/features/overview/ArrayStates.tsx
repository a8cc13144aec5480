import { Link } from "@tanstack/react-router";
import type { Overview } from "@/api/shapes";
import { RelativeTime } from "@/components/quantities";
import { StateBadge } from "@/components/state/StateBadge";
import classes from "./Overview.module.css";

/** Arrays on one line each: whether a run measures it, and what became of its newest run. */
export function ArrayStates({ arrays }: { arrays: Overview["arrays"] }) {
  return (
    <ul className={classes.arrays}>
      {arrays.map(({ id, name, state, newest }) => (
        <li key={id} className={classes.array}>
          <Link to="/arrays/$id" params={{ id }} className={classes.arrayName} title={name}>
            {name}
          </Link>
          <span className={classes.meta}>
            <StateBadge state={state} />
            {newest ? (
              <Link to="/runs/$id" params={{ id: newest.id }} className={classes.newest}>
                <span className="visually-hidden">newest run: </span>
                <StateBadge state={newest.verdict?.outcome ?? newest.state} />{" "}
                <RelativeTime at={newest.ended_at} />
              </Link>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  );
}
