import { StateShape } from "@/components/state/StateBadge";
import classes from "./Feedback.module.css";

/** A warning that does not block anything. */
export function Notice({ title, children }: { title?: string; children: React.ReactNode }) {
  return (
    <div className={classes.notice} role="note">
      <span className={classes.shape}>
        <StateShape shape="gap" />
      </span>
      <div>
        {title ? <p className={classes.heading}>{title}</p> : null}
        <div>{children}</div>
      </div>
    </div>
  );
}

type Props = { title: string; children?: React.ReactNode; action?: React.ReactNode };

/** An empty state: why nothing is shown, and what to do. */
export function Empty({ title, children, action }: Props) {
  return (
    <div className={classes.empty}>
      <svg viewBox="0 0 40 40" width="40" height="40" aria-hidden="true">
        <path
          d="M.5.5h39v39H.5zM13.5.5v39M26.5.5v39M.5 13.5h39M.5 26.5h39"
          fill="none"
          stroke="var(--rule-strong)"
          strokeDasharray="2 2"
        />
      </svg>
      <div>
        <p className={classes.title}>{title}</p>
        {children ? <div className={classes.why}>{children}</div> : null}
        {action ? <div className={classes.action}>{action}</div> : null}
      </div>
    </div>
  );
}
