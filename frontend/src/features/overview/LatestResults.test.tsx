import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { LatestResult } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { headline, levels } from "@/features/kinds/matrix/testMatrix";
import { LatestResults } from "./LatestResults";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: "a",
}));

const result = {
  run_id: 1,
  campaign_id: 1,
  name: "Acceptance",
  title: "Read",
  kind: "matrix",
  participants: [
    { id: 7, role: "reader", host: { id: 1, name: "alpha" }, target: null, activity: null },
  ],
  headline: {
    ...headline({
      rate: "application",
      bytes_per_s: 2.91e9,
      block: 2 ** 20,
      threads_effect: {
        code: "more_equal",
        threads: 2,
        bytes_per_s: 2.9e9,
        mean_over_cliff: false,
      },
    }),
    operation: "read",
  },
  headline_levels: null,
  best_bytes_per_s: 2.91e9,
  sparkline_bytes_per_s: [],
  ended_at: null,
  verdict: null,
} as LatestResult;

it("shows the verdict of a run that was judged", () => {
  const verdict = { outcome: "fail", failed: 1 } as LatestResult["verdict"];
  rendered(<LatestResults latest={[result, { ...result, run_id: 2, verdict }]} />);
  const [plain, judged] = screen.getAllByRole("listitem");
  expect(plain?.textContent).not.toContain("fail");
  expect(judged?.textContent).toContain("fail");
});

it("names one rate, that of the setting in the sentence", () => {
  rendered(<LatestResults latest={[result]} />);
  const row = screen.getByRole("listitem");
  expect(row.textContent?.match(/[\d.]+\s[kMGT]?B\/s/g)).toEqual(["2.91 GB/s"]);
  expect(row.textContent?.replaceAll("\u00a0", " ")).toContain(
    "With one reader and 1 MiB blocks; more threads don't help",
  );
});

it("keeps the place of a sparkline without samples, but draws nothing", () => {
  rendered(<LatestResults latest={[{ ...result, sparkline_bytes_per_s: [] }]} />);
  expect(screen.queryByRole("img")).toBeNull();
  expect(document.querySelector("svg[width]")?.childElementCount).toBe(0);
});

it.each([
  ["one sample", [2.9e9]],
  ["many samples", [2.9e9, 3e9]],
])("draws the sparkline of a trial of %s", (_, sparkline) => {
  rendered(<LatestResults latest={[{ ...result, sparkline_bytes_per_s: sparkline }]} />);
  const line = screen.getByRole("img", { name: "Throughput of the best trial of Read" });
  expect(line.outerHTML).not.toContain("NaN");
});

it("names the levels of a cliff", () => {
  const found = headline({
    rate: "application",
    bytes_per_s: null,
    levels: { held: levels, flagged_trials: 1, trials: 1 },
    block: 2 ** 20,
  });
  const cliff = {
    ...result,
    headline: { ...found, operation: "read" as const },
    headline_levels: levels,
  };
  rendered(<LatestResults latest={[cliff]} />);
  expect(screen.getByRole("listitem").textContent?.replaceAll("\u00a0", " ")).toContain(
    "350 MB/s for 12 s (4.30 GB), then 41.0 MB/s with one reader and 1 MiB blocks",
  );
});
