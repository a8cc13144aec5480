import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import type { LatestResult } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { headline } from "@/features/kinds/matrix/testMatrix";
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
  headline: headline({
    figure: { bytes_per_s: 2.91e9 },
    rest: ["with one reader and ", { block_bytes: 2 ** 20 }, " blocks; more threads don't help"],
  }),
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

it("names one rate, that of the headline, with what is in doubt about it", () => {
  const words = { ...result.headline?.words, doubt: "partly from cache" };
  const doubtful = { ...result, headline: { ...result.headline, words } } as LatestResult;
  rendered(<LatestResults latest={[doubtful]} />);
  const row = screen.getByRole("listitem");
  expect(row.textContent?.match(/[\d.]+\s[kMGT]?B\/s/g)).toEqual(["2.91 GB/s"]);
  expect(row.textContent).toContain("partly from cache");
});

it("says why there is no figure", () => {
  const none = headline({ figure: null, rest: ["no trial is reliable (too short)"] });
  rendered(<LatestResults latest={[{ ...result, headline: none }]} />);
  expect(screen.getByText("No trial is reliable (too short)")).toBeTruthy();
});

it("shows a whole place, also where it is cut off", () => {
  rendered(<LatestResults latest={[result]} />);
  expect(screen.getByTitle("alpha memory").textContent).toBe("alpha memory");
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
  const cliff = {
    ...result,
    headline: headline({ figure: null, rest: ["350 MB/s for 12 s, then 41.0 MB/s"] }),
    headline_levels: [{ bytes_per_s: 350e6 }, { bytes_per_s: 41e6 }],
  } as LatestResult;
  rendered(<LatestResults latest={[cliff]} />);
  expect(screen.getByRole("listitem").textContent?.replaceAll("\u00a0", " ")).toContain(
    "350 MB/s → 41.0 MB/s",
  );
});
