import { useSyncExternalStore } from "react";

// One timer for all relative times of a page.
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

/** Return the current time, updated every five seconds. */
export const useNow = (): Date => useSyncExternalStore(subscribe, () => now);
