import classes from "./Mark.module.css";

/** Assay's logo: a square with one filled cell, which pulses while something runs. */
export function Mark({ size = 24, running = false }: { size?: number; running?: boolean }) {
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <rect
        x="1.25"
        y="1.25"
        width="13.5"
        height="13.5"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      />
      <rect
        className={running ? classes.running : undefined}
        x="8"
        y="4"
        width="4"
        height="4"
        fill="var(--gold)"
      />
    </svg>
  );
}
