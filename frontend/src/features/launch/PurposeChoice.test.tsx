import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Profile } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { PurposeChoice } from "./PurposeChoice";

const LOOK = { id: 9, slug: "first-look" } as Profile;

it("offers the purposes whose profiles are there, and takes the chosen one back", async () => {
  const propose = vi.fn();
  const { rerender } = rendered(
    <PurposeChoice newest={[LOOK]} purpose={null} onPropose={propose} />,
  );
  const [general, ...others] = screen.getAllByRole("button");
  expect(others).toEqual([]);
  expect(general?.getAttribute("aria-pressed")).toBe("false");
  await userEvent.click(screen.getByRole("button", { name: "General use" }));
  expect(propose).toHaveBeenLastCalledWith("general", 9);
  rerender(<PurposeChoice newest={[LOOK]} purpose="general" onPropose={propose} />);
  await userEvent.click(screen.getByRole("button", { pressed: true }));
  expect(propose).toHaveBeenLastCalledWith(null, null);
});
