import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Profile } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { PurposeChoice } from "./PurposeChoice";

const LOOK = { id: 9, slug: "first-look" } as Profile;
const OWN = { criterion: "write.p99 < 20 ms", stop: true };

it("proposes the profile and criteria of a purpose, in place of another purpose's", async () => {
  const propose = vi.fn();
  const before = [{ criterion: "dropped_at(frames=24) < 1", stop: false }, OWN];
  rendered(
    <PurposeChoice newest={[LOOK]} profile={undefined} criteria={before} onPropose={propose} />,
  );
  const general = screen.getByRole("button", { name: "General use" });
  expect(general.getAttribute("aria-pressed")).toBe("false");
  await userEvent.click(general);
  const [{ profileId, tests, criteria }] = propose.mock.calls[0] ?? [];
  expect({ profileId, tests }).toEqual({ profileId: 9, tests: [] });
  const texts = criteria.map(({ criterion }: typeof OWN) => criterion);
  expect(texts).toContain("repeat.cv <= 10 %");
  expect(texts).not.toContain("dropped_at(frames=24) < 1");
  expect(criteria.at(-1)).toEqual(OWN);
});

it("offers no purpose whose profile is not there", () => {
  rendered(<PurposeChoice newest={[LOOK]} profile={LOOK} criteria={[]} onPropose={vi.fn()} />);
  expect(screen.getAllByRole("button")).toHaveLength(1);
});

it("shows which purpose the form is for", () => {
  const criteria = [
    "durable.min >= 200 MB/s",
    "device.mean >= 200 MB/s",
    "stall.max <= 1 s",
    "repeat.cv <= 10 %",
  ].map((criterion) => ({ criterion, stop: false }));
  rendered(
    <PurposeChoice newest={[LOOK]} profile={LOOK} criteria={criteria} onPropose={vi.fn()} />,
  );
  expect(screen.getByRole("button", { pressed: true }).textContent).toBe("General use");
});
