import { Link } from "@tanstack/react-router";
import { valuesText } from "@/api/listSearch";
import classes from "./LabelChips.module.css";
import type { Labels } from "./labelText";

type Props = {
  /** Pairs if a key may have several values. */
  labels: Labels | (readonly [key: string, value: string])[];
};

/** Labels as chips that lead to the campaigns with that label; a dash if there are none. */
export function LabelChips({ labels }: Props) {
  const pairs = Array.isArray(labels) ? labels : Object.entries(labels);
  if (pairs.length === 0) return "–";
  return (
    <ul className={classes.chips}>
      {pairs.map(([key, value]) => (
        <li key={`${key}=${value}`} className={classes.item}>
          <Link
            to="/campaigns"
            search={{ label: valuesText([`${key}=${value}`]) }}
            className={classes.chip}
            aria-label={`${key}=${value}`}
            title={`Campaigns with ${key}=${value}`}
          >
            <span className={classes.key}>{key}</span>
            <span className="visually-hidden">=</span>
            <span className={classes.value}>{value}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
