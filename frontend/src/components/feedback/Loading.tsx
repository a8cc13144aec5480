import classes from "./Loading.module.css";

/** Holds the place of rows that are on their way, so that nothing moves when they come. */
export function Loading({ rows = 4, what }: { rows?: number; what: string }) {
  return (
    <div className={classes.loading} role="status">
      <span className="visually-hidden">Loading {what}</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no identity
        <div key={row} className={classes.row} style={{ width: `${92 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
