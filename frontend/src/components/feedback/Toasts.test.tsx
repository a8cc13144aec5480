import { MantineProvider } from "@mantine/core";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Problem, unreachable } from "@/api/client";
import { currentToasts, showToast, Toasts } from "./Toasts";

const shown = () => render(<Toasts />, { wrapper: MantineProvider });

describe("toasts", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("shows a message for its time", () => {
    vi.useFakeTimers();
    shown();
    act(() => showToast({ text: "Deleted “vault”." }, 60));
    expect(screen.getByRole("status").textContent).toContain("Deleted “vault”.");
    act(() => vi.advanceTimersByTime(59_000));
    expect(currentToasts()).toHaveLength(1);
    act(() => vi.advanceTimersByTime(1_000));
    expect(screen.getByRole("status").textContent).toBe("");
  });

  it("runs its action once and disappears", async () => {
    shown();
    let undone = 0;
    const run = async () => undone++;
    act(() => showToast({ text: "Deleted.", action: { label: "Undo", run } }, 60));
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(undone).toBe(1);
    expect(currentToasts()).toEqual([]);
  });

  it("shows why its action failed", async () => {
    shown();
    const run = async () => {
      throw new Problem({ title: "Too late", status: 409, detail: "Deleted more than 60 s ago." });
    };
    act(() => showToast({ text: "Deleted.", action: { label: "Undo", run } }, 60));
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(screen.getByRole("status").textContent).toContain("Deleted more than 60 s ago.");
    expect(screen.queryByText("Deleted.")).toBeNull();
  });

  it("keeps its action if the server did not respond", async () => {
    shown();
    let tries = 0;
    const run = async () => {
      tries++;
      if (tries === 1) throw unreachable();
    };
    act(() => showToast({ text: "Deleted.", action: { label: "Undo", run } }, 60));
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(screen.getByRole("status").textContent).toContain("The server did not respond.");
    await userEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(tries).toBe(2);
    expect(screen.queryByText(/Deleted/)).toBeNull();
  });

  it("is dismissed by its button", async () => {
    shown();
    act(() => showToast({ text: "Deleted." }, 60));
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByText("Deleted.")).toBeNull();
  });
});
