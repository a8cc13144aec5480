import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { RunSummary } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { CompareRuns, comparisonHint } from "./CampaignPage";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: ({ search, children }: { search: { runs: number[] }; children: React.ReactNode }) => (
    <a href={`/compare?runs=${search.runs}`}>{children}</a>
  ),
}));

const runs = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: n + 1, trials_done: 1 }) as RunSummary);

it("compares all runs of a campaign, unless a comparison takes fewer", () => {
  const { rerender } = rendered(<CompareRuns runs={runs(12)} selected={[]} />);
  expect(screen.getByRole("link").getAttribute("href")).toMatch(/=1,2,.*,12$/);
  rerender(<CompareRuns runs={runs(13)} selected={[]} />);
  expect(screen.queryByRole("link")).toBeNull();
  rerender(<CompareRuns runs={runs(13)} selected={[7, 3]} />);
  expect(screen.getByRole("link").getAttribute("href")).toBe("/compare?runs=7,3");
});

it("says how many runs can be selected", () => {
  expect(comparisonHint(1, false)).toBeUndefined();
  expect(comparisonHint(2, false)).toBe("Select two or more runs to compare them below.");
  expect(comparisonHint(13, false)).toBe("Select two to 12 runs to compare them below.");
  expect(comparisonHint(13, true)).toContain("12 runs are selected");
});
