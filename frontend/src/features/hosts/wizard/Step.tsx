import classes from "./Step.module.css";

type Props = {
  number: number;
  title: string;
  /** Closed until the previous step is complete, then open, then complete. */
  state: "closed" | "open" | "held";
  /** A line that summarizes the completed step. */
  outcome?: React.ReactNode;
  children: React.ReactNode;
};

/** One step of the wizard; it opens when the previous one is complete. */
export function Step({ number, title, state, outcome, children }: Props) {
  return (
    <li
      className={classes.step}
      data-state={state}
      aria-current={state === "open" ? "step" : undefined}
    >
      <span className={classes.number} aria-hidden="true">
        {state === "held" ? "✓" : number}
      </span>
      <div className={classes.body}>
        <h2 className={classes.title}>
          <span className="visually-hidden">Step {number}: </span>
          {title}
        </h2>
        {state === "held" && outcome ? <div className={classes.outcome}>{outcome}</div> : null}
        {state === "open" ? <div className={classes.content}>{children}</div> : null}
      </div>
    </li>
  );
}
