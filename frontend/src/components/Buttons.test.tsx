import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { ConfirmButton } from "./Buttons";
import { rendered } from "./rendered";

const button = (onConfirm: () => void) => (
  <ConfirmButton
    label="Delete"
    question="Delete vault?"
    consequence="Its targets stay."
    onConfirm={onConfirm}
  />
);

it("asks for confirmation, describes the effect, and then performs it", async () => {
  const act = vi.fn();
  rendered(button(act));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  const dialog = await screen.findByRole("dialog", { name: "Delete vault?" });
  expect(dialog.textContent).toContain("Its targets stay.");
  expect(act).not.toHaveBeenCalled();
  const [, confirm] = screen.getAllByRole("button", { name: "Delete" });
  await userEvent.click(confirm ?? dialog);
  expect(act).toHaveBeenCalledOnce();
});

it("does nothing when the dialog is canceled", async () => {
  const act = vi.fn();
  rendered(button(act));
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await userEvent.click(await screen.findByRole("button", { name: "Keep" }));
  expect(act).not.toHaveBeenCalled();
});
