import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { CopyText } from "./CopyText";
import { rendered } from "./rendered";

const KEY = "ssh-ed25519 AAAA";

/** Simulate a browser over plain HTTP: no clipboard, and `execCommand` with the given result. */
function withoutClipboard(commandWorks: boolean) {
  vi.stubGlobal("navigator", { userAgent: "test" });
  document.execCommand = vi.fn(() => commandWorks);
}

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(document, "execCommand");
});

async function pressCopy() {
  const user = userEvent.setup({ writeToClipboard: false });
  rendered(<CopyText text={KEY} label="public key" />);
  return () => user.click(screen.getByRole("button", { name: "Copy public key" }));
}

it("puts the text on the clipboard and says so", async () => {
  const press = await pressCopy();
  await press();
  expect(await navigator.clipboard.readText()).toBe(KEY);
  expect(screen.getByRole("status").textContent).toBe("Copied public key.");
});

it("copies by execCommand without a clipboard API", async () => {
  const press = await pressCopy();
  withoutClipboard(true);
  await press();
  expect(document.execCommand).toHaveBeenCalledWith("copy");
  expect(screen.getByText("Copied public key.")).toBeTruthy();
});

it("selects the text and shows the keys to press if copying is rejected", async () => {
  const press = await pressCopy();
  withoutClipboard(false);
  await press();
  expect(getSelection()?.toString()).toBe(KEY);
  expect(screen.getByRole("status").textContent).toContain("press Ctrl+C");
});
