import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Host, Target } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { kindOf } from "@/features/kinds/registry";
import { parametersIn, type Texts } from "@/features/parameters/parameters";
import { EstimatePanel } from "./EstimatePanel";
import { estimate } from "./testEstimate";

const target = {
  id: 7,
  host_id: 1,
  host_name: "web-1",
  path: "/mnt/a",
  device: null,
  reserve_bytes: 1e9,
} as Target;

const hosts = [
  { id: 1, name: "web-1" },
  { id: 2, name: "web-2" },
] as Host[];

function shown(
  changes: Partial<typeof estimate> | null,
  onRemedy = (_texts: Texts) => {},
  targets = [target],
  reader?: Target,
) {
  rendered(
    <EstimatePanel
      estimate={changes ? { ...estimate, ...changes } : undefined}
      targets={targets}
      hosts={hosts}
      reader={reader}
      wanted="Select a profile and targets."
      parameters={parametersIn(kindOf({ kind: "matrix" }).groups)}
      onRemedy={onRemedy}
      refusal={null}
      stale={false}
      obstacle={null}
      launching={false}
      onLaunch={() => {}}
    />,
  );
  return screen.getByRole("complementary", { name: "Estimate" }).textContent ?? "";
}

it("asks for a profile and targets while there is nothing to plan", () => {
  expect(shown(null)).toContain("Select a profile and targets.");
});

it("names the hosts whose memory takes part, and has no space or sync to say of them", () => {
  const runs = [1, 2].map((host_id) => ({
    ...(estimate.runs[0] as (typeof estimate.runs)[number]),
    host_id,
    target_id: null,
    free_after_bytes: null,
    free_at: null,
    bytes_written: 0,
  }));
  const text = shown({ runs }, undefined, []).replaceAll("\u00a0", " ");
  expect(text).toContain("Time limits in total8 min 20 sHosts usedweb-1, web-2");
  expect(text).not.toContain("free space");
});

it("shows the expected duration with the runs that it comes from, in place of the minimum", () => {
  const since = "2026-11-03T09:12:44Z";
  const expected = { seconds: 2220, run_ids: [9, 8, 7, 6], since };
  const text = shown({ expected }).replaceAll("\u00a0", " ");
  const day = new Date(since).toLocaleDateString(undefined, { dateStyle: "medium" });
  expect(text).toContain(`Expected durationabout 37 minfrom 4 runs since ${day}`);
  expect(text).not.toContain("Minimum duration");
  expect(text).toContain("Time limits in total8 min 20 s");
});

it("expects nothing without earlier runs", () => {
  expect(shown({})).not.toContain("Expected");
});

it("names the host that reads the files back among those used", () => {
  const reader = { id: 8, host_id: 2 } as Target;
  expect(shown({}, undefined, [target], reader)).toContain("Hosts usedweb-1, web-2");
});

it("says when the free space was measured", () => {
  const runs = estimate.runs.map((run) => ({
    ...run,
    free_at: new Date(Date.now() - 3 * 3600e3).toISOString(),
  }));
  expect(shown({ runs })).toMatch(/4\.00\sGB, 1\.00\sGB reserved.*measured 3\sh ago/);
});

it.each([
  [8e9, 0, "8 min 20 s plus final syncs"],
  [9e9, 1e9, "8 min 20 s plus preparation and final syncs"],
  [1e9, 1e9, "8 min 20 s plus preparation"],
] as const)(
  "says what an estimate excludes for %d B written, %d B of them prepared",
  (bytes_written, prepared_bytes, words) => {
    const runs = estimate.runs.map((run) => ({ ...run, bytes_written, prepared_bytes }));
    expect(shown({ runs }).replaceAll("\u00a0", " ")).toContain(`${words}Hosts`);
  },
);

it("names the problem instead of figures if something cannot be planned", () => {
  const problem = { field: "overrides.files", message: "is over 2", remedy: "Give 2.", value: 5 };
  const text = shown({ problems: [problem], runs: [], trials: 0, bytes_written: 0, fits: null });
  expect(text).toContain("Is over 2.");
  expect(text).not.toMatch(/to be written|Trials|Free space/);
});

it("keeps the figures next to the problem if they do not fit", () => {
  const problem = { field: "overrides.file_size", message: "1 GB are missing" };
  const text = shown({ problems: [problem], fits: false });
  expect(text).toContain("1 GB are missing.");
  expect(text).toMatch(/written.*Trials.*Minimum free space/);
});

it("applies the file size that a warning recommends", async () => {
  const onRemedy = vi.fn();
  const message = "Write on web-1 /mnt/a: 4 of 4 cells would be too short.";
  const warning = {
    code: "too_short" as const,
    message,
    remedy: { file_size: 6.5e9 },
    about: null,
  };
  shown({ warnings: [warning] }, onRemedy);
  await userEvent.click(screen.getByRole("button", { name: /^Use 6\.50\sGB$/ }));
  expect(onRemedy).toHaveBeenCalledWith({ file_size: "6.5 GB" });
});
