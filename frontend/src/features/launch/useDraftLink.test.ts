import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useDraftLink } from "./link";

const router = vi.hoisted(() => ({ link: {} as object, navigate: vi.fn() }));

vi.mock("@tanstack/react-router", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  getRouteApi: () => ({ useSearch: () => router.link }),
  useNavigate: () => router.navigate,
}));

beforeEach(() => {
  vi.useFakeTimers();
  router.link = {};
  router.navigate.mockClear();
});
afterEach(() => vi.useRealTimers());

const opened = () => renderHook(() => useDraftLink(() => {}));
type Opened = ReturnType<typeof opened>;

/** Enter a name, and pause until the address follows; returns the link that it was sent to. */
function enter({ result }: Opened, name: string): object {
  act(() => result.current.form.setFieldValue("name", name));
  act(() => void vi.advanceTimersByTime(500));
  return router.navigate.mock.lastCall?.[0].search;
}

/** Let the page's address become `link`. */
function reach({ rerender }: Opened, link: object): void {
  router.link = link;
  rerender();
}

test("a link of earlier input that the address reaches late does not undo later input", () => {
  const page = opened();
  const early = enter(page, "Ni");
  const late = enter(page, "Nightly");
  for (const link of [early, late]) {
    reach(page, link);
    expect(page.result.current.form.values.name).toBe("Nightly");
  }
});

test("a link to another form that is followed fills the form, even one that it had before", () => {
  const page = opened();
  const early = enter(page, "Ni");
  reach(page, early);
  reach(page, enter(page, "Nightly"));
  for (const [link, name] of [
    [{ name: "Weekly" }, "Weekly"],
    [early, "Ni"],
  ] as const) {
    reach(page, link);
    expect(page.result.current.form.values.name).toBe(name);
  }
});
