import classes from "./Loading.module.css";

/** Placeholder rows with the height of the content that is loading. */
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
