import { Button } from "@mantine/core";
import { asProblem, explained } from "@/api/problem";
import { StateShape } from "@/components/state/StateBadge";
import classes from "./ProblemPanel.module.css";

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
  // the detail of invalid fields is a list of them in one line
  const isListed = errors.length > 0 && errors.every((each) => message.includes(each.message));
  return (
    <div className={classes.panel} role="alert">
      <span className={classes.shape}>
        <StateShape shape="cross" />
      </span>
      <div className={classes.text}>
        <p className={classes.title}>{body.title}</p>
        {message !== body.title && !isListed ? <p>{message}</p> : null}
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
