/** Messages that stay on screen while the page changes, each with at most one action. */

export interface Toast {
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

export function onToasts(listener: () => void): () => void {
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
