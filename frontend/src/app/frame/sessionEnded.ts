/** Whether the session of the open page has ended, so that the server rejects its requests. */

let ended = false;
const listeners = new Set<() => void>();

export const sessionEnded = {
  get: (): boolean => ended,
  set: (value: boolean): void => {
    ended = value;
    for (const listener of listeners) listener();
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
