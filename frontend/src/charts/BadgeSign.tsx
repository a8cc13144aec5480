import classes from "./BadgeSign.module.css";
import type { Badge } from "./grid";

/** A letter in a shape, in the ink around it. The reason is its tooltip; the cell's sentence says it too. */
export function BadgeSign({ badge }: { badge: Badge }) {
  const reason = badge.reason ? `${badge.word}: ${badge.reason}` : badge.word;
  return (
    <span className={classes.sign} data-shape={badge.shape} title={reason} aria-hidden="true">
      <span>{badge.letter}</span>
    </span>
  );
}
