import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { RunSummary } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { levels } from "@/features/kinds/matrix/testMatrix";
import { RunRow } from "./RunRow";

// The expanded content is tested separately; these tests only check whether it exists.
vi.mock("./LiveRun", () => ({ LiveRun: () => <p>unfolded</p> }));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: "a",
}));

const WRITER = { role: "writer", host: { id: 1, name: "alpha" }, target: null, activity: null };
const run = {
  id: 2,
  kind: "matrix",
  title: "Read",
  participants: [{ role: "reader", host: { id: 1, name: "alpha" }, target: null, activity: null }],
  state: "running",
  trials_done: 0,
  trials_total: 4,
  eta_s: null,
  current: null,
  best_bytes_per_s: null,
} as unknown as RunSummary;

/** The row, and a button that ends the run before it. */
function Row() {
  const [itsTurn, setItsTurn] = useState(false);
  return (
    <>
      <RunRow run={run} live={[]} initiallyOpen={false} itsTurn={itsTurn} />
      <button type="button" onClick={() => setItsTurn(true)}>
        its turn
      </button>
    </>
  );
}

it("expands when the run before it has ended, and can be collapsed", async () => {
  rendered(<Row />);
  expect(screen.queryByText("unfolded")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "its turn" }));
  expect(screen.getByText("unfolded")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Details of Read on alpha" }));
  expect(screen.queryByText("unfolded")).toBeNull();
});

it("shows a run without a target as in memory", () => {
  rendered(<Row />);
  expect(screen.getByText(/^\S+ memory$/)).toBeDefined();
});

it("names the final sync instead of a rate of zero", () => {
  const current = { rate_bytes_per_s: 0, bytes: 100, total_bytes: 100 };
  const syncing = { ...run, participants: [WRITER], current } as unknown as RunSummary;
  rendered(<RunRow run={syncing} live={[]} initiallyOpen={false} itsTurn={false} />);
  expect(screen.getByText("final sync")).toBeDefined();
  expect(screen.queryByText(/B\/s/)).toBeNull();
});

it("shows the levels of a cliff in place of a best rate", () => {
  const ended: RunSummary = {
    ...run,
    state: "done",
    best_bytes_per_s: 157e6,
    headline_levels: levels,
  };
  const { container } = rendered(
    <RunRow run={ended} live={[]} initiallyOpen={false} itsTurn={false} />,
  );
  const text = container.textContent?.replaceAll("\u00a0", " ");
  expect(text).toContain("350 MB/s → 41.0 MB/s");
  expect(text).not.toContain("157");
});

it("leads to the run’s result with its title, and unfolds with a button of its own", () => {
  rendered(<Row />);
  const [link, ...others] = screen.getAllByText(/^Read/, { selector: "a" });
  expect(link?.textContent).toBe("Read, result");
  expect(others).toEqual([]);
  expect(screen.getByRole("button", { name: "Details of Read on alpha" })).toBeDefined();
});

it("can be selected for a comparison where that is offered", async () => {
  rendered(<Row />);
  expect(screen.queryByRole("checkbox")).toBeNull();
  const onToggle = vi.fn();
  const row = (isFull: boolean) => (
    <RunRow
      run={run}
      live={[]}
      initiallyOpen={false}
      itsTurn={false}
      selection={{ isSelected: false, isFull, onToggle }}
    />
  );
  const { rerender } = rendered(row(false));
  const name = "Select Read on alpha for comparison";
  await userEvent.click(screen.getByRole("checkbox", { name }));
  expect(onToggle).toHaveBeenCalledOnce();
  rerender(row(true));
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name }).disabled).toBe(true);
});
