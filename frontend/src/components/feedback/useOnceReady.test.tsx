import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useOnceReady } from "./Resolved";

it("waits when a page opens, but not for what is added to it later", () => {
  const { result, rerender } = renderHook(({ page, ready }) => useOnceReady(page, ready), {
    initialProps: { page: 1, ready: false },
  });
  expect(result.current).toBe(false);
  rerender({ page: 1, ready: true });
  expect(result.current).toBe(true);
  rerender({ page: 1, ready: false });
  expect(result.current).toBe(true);
  rerender({ page: 2, ready: false });
  expect(result.current).toBe(false);
});
