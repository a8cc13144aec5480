import { StateShape } from "@/components/state/StateBadge";
import classes from "./Notice.module.css";

/** A warning that does not block anything. */
export function Notice({ title, children }: { title?: string; children: React.ReactNode }) {
  return (
    <div className={classes.notice} role="note">
      <span className={classes.shape}>
        <StateShape shape="gap" />
      </span>
      <div>
        {title ? <p className={classes.title}>{title}</p> : null}
        <div>{children}</div>
      </div>
    </div>
  );
}
