import classes from "./ProgressBar.module.css";

type Props = { done: number; of: number; label: string };

/** How far something is, as a plain bar; the words beside it carry the figures. */
export function ProgressBar({ done, of, label }: Props) {
  return (
    <progress
      className={classes.bar}
      value={of === 0 ? 0 : done}
      max={of || 1}
      aria-label={label}
    />
  );
}
