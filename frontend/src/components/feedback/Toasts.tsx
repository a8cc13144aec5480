import { Button } from "@mantine/core";
import { useState, useSyncExternalStore } from "react";
import { asProblem } from "@/api/problem";
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

function ToastLine({ toast: { id, text, action } }: { toast: Toast }) {
  const [pending, setPending] = useState(false);
  const act = async (run: () => Promise<unknown>) => {
    setPending(true);
    try {
      await run();
    } catch (error) {
      showToast({ text: asProblem(error).message }, ERROR_SHOWN_S);
    }
    dismissToast(id);
  };
  return (
    <div className={classes.toast}>
      <span className={classes.text}>{text}</span>
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
