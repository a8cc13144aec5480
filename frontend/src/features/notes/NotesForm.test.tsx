import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { NotesForm } from "./NotesForm";

const OPENED = "2026-11-26T08:00:00Z";
const NEWER = "2026-11-26T08:05:00Z";
const CAMPAIGN = { kind: "campaign", id: 7 } as const;

it("does not overwrite a text that was changed after the form opened, unless it was shown", async () => {
  const asked: { text: string; replaces: string }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = await request.json();
    asked.push(body);
    if (body.replaces === NEWER) return Response.json({ ...body, changed_by: "ada" });
    return Response.json(
      { title: "The notes have been changed", status: 409, code: "notes_changed", errors: [] },
      { status: 409, headers: { "Content-Type": "application/problem+json" } },
    );
  });
  const onClose = vi.fn();
  const form = (text: string, changed_at: string, changed_by: string) => (
    <NotesForm of={CAMPAIGN} notes={{ text, changed_at, changed_by }} onClose={onClose} />
  );
  const { rerender } = rendered(form("first", OPENED, "ada"));
  await userEvent.type(screen.getByLabelText("Text"), " and mine");
  // the page fetches the notes again when its window gets the focus
  rerender(form("of grace", NEWER, "grace"));
  await userEvent.click(screen.getByRole("button", { name: "Save notes" }));
  await screen.findByText("of grace");
  expect(asked).toEqual([{ text: "first and mine", replaces: OPENED }]);
  expect(screen.getByRole("note").textContent).toContain("grace changed them");
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Replace with my text" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(asked.at(-1)).toEqual({ text: "first and mine", replaces: NEWER });
});
