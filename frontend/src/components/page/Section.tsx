import { useId } from "react";
import classes from "./Section.module.css";

type Props = {
  title: string;
  /** One line under the title. */
  hint?: React.ReactNode;
  action?: React.ReactNode;
  children: React.ReactNode;
};

/** A section of a page: a heading with a rule, no box. */
export function Section({ title, hint, action, children }: Props) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.head}>
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {hint ? <p className={classes.hint}>{hint}</p> : null}
      {children}
    </section>
  );
}
