import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { currentToasts, dismissToast } from "@/components/feedback/Toasts";

// As generous as the tests themselves: a busy machine is no failure.
configure({ asyncUtilTimeout: 10_000 });

// Browser APIs that the components use and jsdom lacks.
globalThis.matchMedia ??= ((query: string) => ({
  matches: false,
  media: query,
  onchange: null,
  addEventListener: () => {},
  removeEventListener: () => {},
  addListener: () => {},
  removeListener: () => {},
  dispatchEvent: () => false,
})) as typeof matchMedia;

globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

Element.prototype.scrollIntoView ??= () => {};

afterEach(() => {
  cleanup();
  // Test files share modules, and with them what these remember.
  for (const { id } of currentToasts()) dismissToast(id);
});
