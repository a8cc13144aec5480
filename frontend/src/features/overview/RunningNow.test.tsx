import { fireEvent, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { RunSummary } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { RunningNow } from "./RunningNow";

// The matrix is tested separately, and makes requests.
vi.mock("@/features/kinds/matrix/LiveMatrix", () => ({ LiveMatrix: () => "partial result" }));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: (props: object) => <a href="/" {...props} />,
}));

const WRITER = { role: "writer", host: { id: 1, name: "alpha" }, target: null, activity: null };
const run = {
  id: 2,
  kind: "matrix",
  campaign_id: 7,
  campaign_name: "Nightly check",
  title: "Read",
  participants: [{ role: "reader", host: { id: 1, name: "alpha" }, target: null, activity: null }],
  state: "running",
  state_reason: null,
  trials_done: 1,
  trials_total: 4,
  eta_s: 75,
  current: { rate_bytes_per_s: 5e6 },
} as unknown as RunSummary;

it("shows the rate of an active run and its remaining time", () => {
  rendered(<RunningNow running={[run]} queued={[]} />);
  expect(screen.getByText("5.00", { exact: false }).textContent).toBe("5.00 MB/s");
  expect(screen.getByText(/about 1.min 15.s left/)).toBeDefined();
});

it("names the final sync instead of a rate of zero", () => {
  const current = { rate_bytes_per_s: 0, bytes: 100, total_bytes: 100 };
  const syncing = { ...run, participants: [WRITER], current } as unknown as RunSummary;
  rendered(<RunningNow running={[syncing]} queued={[]} />);
  expect(screen.getByText("final sync")).toBeDefined();
  expect(screen.queryByText(/B\/s/)).toBeNull();
});

it("shows what the probe does while nothing is measured", () => {
  const activity = "Preparing test files: 3.20 GB of 40.0 GB (pwrite)";
  const preparing = {
    ...run,
    participants: [{ ...WRITER, activity }],
    current: { rate_bytes_per_s: null },
  };
  rendered(<RunningNow running={[preparing as unknown as RunSummary]} queued={[]} />);
  expect(screen.getByTitle(activity).textContent).toBe(activity);
});

it("shows why a run cannot be followed instead of its last rate", () => {
  const state_reason = "The host's key has changed (retrying). Approve it.";
  const unfollowed = {
    ...run,
    state_reason,
    eta_s: null,
    current: { rate_bytes_per_s: null },
  } as unknown as RunSummary;
  rendered(<RunningNow running={[unfollowed]} queued={[]} />);
  expect(screen.getByText("no current rate")).toBeDefined();
  expect(screen.getByRole("note").textContent).toContain(state_reason);
});

it("names the campaign of active and queued runs", () => {
  const waits_for = { what: "alpha is busy" };
  const queued = { ...run, id: 3, state: "queued", current: null, waits_for } as RunSummary;
  rendered(<RunningNow running={[run]} queued={[queued]} />);
  expect(screen.getAllByRole("link", { name: "Nightly check: Read" })).toHaveLength(2);
  expect(screen.getByText("alpha is busy")).toBeDefined();
});

it("shows the partial result of a run that is the only active one", () => {
  rendered(<RunningNow running={[run]} queued={[]} />);
  expect(screen.getByText("partial result")).toBeDefined();
});

it("shows no partial result, and folds what is more, while several runs are active", () => {
  const running = Array.from({ length: 50 }, (_, id) => ({ ...run, id }));
  rendered(<RunningNow running={running} queued={[]} />);
  expect(screen.queryByText("partial result")).toBeNull();
  expect(screen.getAllByRole("listitem")).toHaveLength(3);
  fireEvent.click(screen.getByRole("button", { name: "Show 47 more active runs" }));
  expect(screen.getAllByRole("listitem")).toHaveLength(50);
  fireEvent.click(screen.getByRole("button", { name: "Show fewer active runs" }));
  expect(screen.getAllByRole("listitem")).toHaveLength(3);
});

it("folds no single row", () => {
  const queued = Array.from({ length: 4 }, (_, id) => ({ ...run, id, state: "queued" as const }));
  rendered(<RunningNow running={[]} queued={queued} />);
  expect(screen.getAllByRole("listitem")).toHaveLength(4);
  expect(screen.queryByRole("button")).toBeNull();
});
