import { Button } from "@mantine/core";
import { useState, useSyncExternalStore } from "react";
import { asProblem, type Problem } from "@/api/problem";
import classes from "./Toasts.module.css";
import { currentToasts, dismissToast, onToasts, showToast, type Toast } from "./toasts";

const ERROR_SHOWN_S = 20;

/** The current toasts, above the page; screen readers announce them. */
export function Toasts() {
  const toasts = useSyncExternalStore(onToasts, currentToasts);
  return (
    <div role="status" className={classes.toasts}>
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** Whether the same action may succeed later: the server did not respond, or failed. */
const isWorthAnotherTry = ({ status }: Problem) => status === 0 || status === 429 || status >= 500;

function ToastLine({ toast: { id, text, action } }: { toast: Toast }) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState("");
  const act = async (run: () => Promise<unknown>) => {
    setPending(true);
    setFailure("");
    try {
      await run();
      dismissToast(id);
    } catch (error) {
      const problem = asProblem(error);
      if (isWorthAnotherTry(problem)) {
        setFailure(problem.message);
        setPending(false);
      } else {
        showToast({ text: problem.message }, ERROR_SHOWN_S);
        dismissToast(id);
      }
    }
  };
  return (
    <div className={classes.toast}>
      <span className={classes.text}>
        {text} {failure}
      </span>
      {action ? (
        <Button variant="default" loading={pending} onClick={() => act(action.run)}>
          {action.label}
        </Button>
      ) : null}
      <Button variant="subtle" onClick={() => dismissToast(id)}>
        Dismiss
      </Button>
    </div>
  );
}
