import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { formatMoment } from "./formats";
import { RelativeTime } from "./Quantities";

const at = new Date(Date.now() - 3 * 60_000 - 1000);

it("gives the absolute time to screen readers and, on focus, to the keyboard", async () => {
  rendered(<RelativeTime at={at.toISOString()} />);
  expect(screen.getByRole("time").textContent).toBe(`3\u00a0min ago, ${formatMoment(at)}`);
  await userEvent.tab();
  expect((await screen.findByRole("tooltip")).textContent).toBe(formatMoment(at));
});

it("shows never without a time", () => {
  rendered(<RelativeTime at={null} />);
  expect(screen.getByText("never")).toBeTruthy();
});
