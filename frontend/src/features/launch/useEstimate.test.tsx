import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import type { Plan } from "@/api/shapes";
import { useEstimate } from "./EstimatePanel";

const plan = (threads: number, criterion?: string) =>
  ({
    profile_id: 1,
    target_ids: [1],
    overrides: { threads: [threads] },
    ...(criterion ? { criteria: [{ criterion, stop: false }] } : {}),
  }) as Plan;

beforeEach(() => {
  vi.stubGlobal("fetch", async (request: Request) => {
    const { overrides, criteria } = (await request.json()) as {
      overrides: { threads: number[] };
      criteria?: { criterion: string }[];
    };
    const [threads = 0] = overrides.threads;
    return threads > 256 || criteria?.[0]?.criterion === "app.mean >"
      ? Response.json({ title: "A field is wrong" }, { status: 422 })
      : Response.json({ trials: threads });
  });
});

function estimates() {
  const client = new QueryClient();
  return renderHook(({ threads, criterion }) => useEstimate(plan(threads, criterion)), {
    initialProps: { threads: 1 } as { threads: number; criterion?: string },
    wrapper: ({ children }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    ),
  });
}

it("keeps the last figures visible and marks them as outdated", async () => {
  const { result, rerender } = estimates();
  await waitFor(() => expect(result.current.estimate).toEqual({ trials: 1 }));
  expect(result.current.current).toBe(true);
  rerender({ threads: 2 });
  expect(result.current).toMatchObject({ estimate: { trials: 1 }, current: false });
  await waitFor(() => expect(result.current.current).toBe(true));
  expect(result.current.estimate).toEqual({ trials: 2 });
});

it("shows the rejection of the current plan, without figures of another", async () => {
  const { result, rerender } = estimates();
  await waitFor(() => expect(result.current.estimate).toBeDefined());
  rerender({ threads: 999 });
  await waitFor(() => expect(result.current.refusal).toMatchObject({ status: 422 }));
  expect(result.current).toMatchObject({ estimate: undefined, current: true });
});

it("keeps the figures of a plan whose criterion is not complete", async () => {
  const { result, rerender } = estimates();
  await waitFor(() => expect(result.current.estimate).toBeDefined());
  rerender({ threads: 2, criterion: "app.mean >" });
  await waitFor(() => expect(result.current.refusal).toMatchObject({ status: 422 }));
  await waitFor(() => expect(result.current.estimate).toEqual({ trials: 2 }));
  expect(result.current.refusal).toMatchObject({ status: 422 });
});
