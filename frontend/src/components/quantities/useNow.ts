import { useSyncExternalStore } from "react";

// One clock for the page: a thousand relative times share a single timer.
const STEP_MS = 5000;
const listeners = new Set<() => void>();
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    now = new Date();
    timer = setInterval(() => {
      now = new Date();
      for (const each of listeners) each();
    }, STEP_MS);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

/** The present time, renewed every five seconds. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
