import { Button } from "@mantine/core";
import { Component } from "react";
import { asProblem, explained } from "@/api/client";
import { StateShape } from "@/components/state/StateBadge";
import classes from "./Feedback.module.css";

/** The code of a change that came after another one. */
const CHANGED = "precondition_failed";

type Props = {
  error: unknown;
  retry?: () => void;
  /** A link for an object that does not exist, where a retry cannot help. */
  elsewhere?: React.ReactNode;
};

/** An error with its cause, remedy and invalid fields, as the API reports them. */
export function ProblemPanel({ error, retry, elsewhere }: Props) {
  const { body, code, message, status } = asProblem(error);
  const isMissing = status === 404;
  const errors = body.errors ?? [];
  return (
    <div className={classes.panel} role="alert">
      <span className={classes.problemShape}>
        <StateShape shape="cross" />
      </span>
      <div className={classes.problemText}>
        <p className={classes.problemTitle}>{body.title}</p>
        {message !== body.title && !body.detail_repeats_errors ? <p>{message}</p> : null}
        {errors.length > 0 ? (
          <ul className={classes.list}>
            {errors.map((each) => (
              <li key={`${each.field} ${each.message}`}>
                {each.line ? `Line ${each.line}, column ${each.column}: ` : null}
                {each.field ? <code>{each.field}</code> : null}{" "}
                {explained(each.message, each.remedy)}
              </li>
            ))}
          </ul>
        ) : null}
        {isMissing && elsewhere ? <p>{elsewhere}</p> : null}
      </div>
      {code === CHANGED ? (
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload page
        </Button>
      ) : null}
      {retry && !isMissing ? (
        <Button variant="default" onClick={retry}>
          Try again
        </Button>
      ) : null}
    </div>
  );
}

type PanelBoundaryProps = { children: React.ReactNode };

/** An error boundary: an error in one panel leaves the rest of the page intact. */
export class PanelBoundary extends Component<PanelBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <ProblemPanel error={this.state.error} retry={() => this.setState({ error: undefined })} />
    );
  }
}
