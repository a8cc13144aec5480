import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { RunSummary } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { LiveResult } from "./LiveResult";

const fetched = vi.hoisted(() => vi.fn());
vi.mock("@/api/queries", () => ({
  resultQuery: (id: number) => ({ queryKey: ["result", id], queryFn: fetched }),
}));

beforeEach(() => {
  fetched.mockReset().mockImplementation(async () => ({ figure: fetched.mock.calls.length }));
});

const run = (trialsDone: number, changed: object = {}) =>
  ({
    id: 7,
    state: "running",
    trials_done: trialsDone,
    trials_total: 3,
    current: { parameters: { block: 4096 } },
    ...changed,
  }) as unknown as RunSummary;

const live = (of: RunSummary, compact = false) => (
  <LiveResult
    run={of}
    compact={compact}
    what="figures"
    rows={1}
    describe={({ parameters }) => [`block ${(parameters as { block: number }).block}`]}
  >
    {(result) => <p>figure {(result as unknown as { figure: number }).figure}</p>}
  </LiveResult>
);

/** The run as the page receives it step by step. */
function Steps({ steps }: { steps: RunSummary[] }) {
  const [step, setStep] = useState(0);
  return (
    <>
      {live(steps[step] as RunSummary)}
      <button type="button" onClick={() => setStep(step + 1)}>
        next
      </button>
    </>
  );
}

it("says which trial runs, and shows the result so far", async () => {
  rendered(live(run(1)));
  expect(screen.getByText("Trial 2 of 3; block 4096")).toBeDefined();
  expect(await screen.findByText("figure 1")).toBeDefined();
});

it("loads the result again when a trial has ended, and keeps the last one meanwhile", async () => {
  let finish: (result: object) => void = () => {};
  rendered(<Steps steps={[run(1), run(1, { current: null }), run(2)]} />);
  await screen.findByText("figure 1");
  await userEvent.click(screen.getByRole("button", { name: "next" }));
  expect(screen.getByText("Trial 2 of 3")).toBeDefined();
  expect(fetched).toHaveBeenCalledTimes(1);
  fetched.mockImplementation(() => new Promise((resolve) => (finish = resolve)));
  await userEvent.click(screen.getByRole("button", { name: "next" }));
  await waitFor(() => expect(fetched).toHaveBeenCalledTimes(2));
  expect(screen.getByText("figure 1")).toBeDefined();
  finish({ figure: 2 });
  expect(await screen.findByText("figure 2")).toBeDefined();
});

it("shows no progress of a run that has ended", async () => {
  rendered(live(run(3, { state: "done", current: null })));
  await screen.findByText("figure 1");
  expect(screen.queryByText(/^Trial/)).toBeNull();
});

it("loads no result where only the progress is shown", () => {
  rendered(live(run(0), true));
  expect(screen.getByText("Trial 1 of 3; block 4096")).toBeDefined();
  expect(fetched).not.toHaveBeenCalled();
});
