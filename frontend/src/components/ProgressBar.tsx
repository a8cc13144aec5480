import classes from "./ProgressBar.module.css";

type Props = { done: number; of: number; label: string };

/** A progress bar; the text next to it has the figures. */
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
