import { LabelChips } from "./LabelChips";
import classes from "./LabelLine.module.css";
import type { Labels } from "./labelText";

type Props = {
  of: { labels: Labels; reference: string | null };
  /** The button that edits them, if one may. */
  action: React.ReactNode;
};

/** A line with an object's labels and external reference; absent if there is nothing to show. */
export function LabelLine({ of: { labels, reference }, action }: Props) {
  const hasLabels = Object.keys(labels).length > 0;
  if (!hasLabels && !reference && !action) return null;
  return (
    <div className={classes.line}>
      {hasLabels ? <LabelChips labels={labels} /> : null}
      {reference ? (
        <span className={classes.reference}>
          <span className={classes.name}>Reference</span> {reference}
        </span>
      ) : null}
      {action}
    </div>
  );
}
