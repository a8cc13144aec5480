import { Button } from "@mantine/core";
import { useState, useSyncExternalStore } from "react";
import { asProblem, type Problem } from "@/api/client";
import classes from "./Feedback.module.css";

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

/** Messages that stay on screen while the page changes, each with at most one action. */

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => Promise<unknown> };
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export const currentToasts = (): readonly Toast[] => toasts;

function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Show a message for `seconds`. */
export function showToast(toast: Omit<Toast, "id">, seconds: number): void {
  const id = ++lastId;
  set([...toasts, { ...toast, id }]);
  setTimeout(() => dismissToast(id), seconds * 1000);
}

export function dismissToast(id: number): void {
  if (toasts.some((toast) => toast.id === id)) set(toasts.filter((toast) => toast.id !== id));
}
