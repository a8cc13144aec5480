import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { currentToasts } from "@/components/feedback/Toasts";
import { rendered } from "@/components/rendered";
import { MarkSeen } from "./MarkSeen";

let role: string;
let sent: string[];
let refused: boolean;
let asked: boolean;
const onDone = vi.fn();

beforeEach(() => {
  role = "operator";
  sent = [];
  refused = asked = false;
  onDone.mockReset();
  vi.stubGlobal("fetch", async ({ url, method }: Request) => {
    const path = new URL(url).pathname.replace("/api/v1", "");
    if (path === "/session") {
      asked = true;
      return Response.json({ user: { name: "ada", role } });
    }
    sent.push(`${method} ${path}`);
    if (refused) return Response.json({ title: "Not found", detail: "Gone." }, { status: 404 });
    return Response.json({});
  });
});

it("marks a campaign as seen, and can take that back", async () => {
  rendered(<MarkSeen ids={[7]} onDone={onDone} />);
  await userEvent.click(await screen.findByRole("button", { name: "Mark as seen" }));
  await waitFor(() => expect(onDone).toHaveBeenCalledTimes(1));
  const toast = currentToasts().at(-1);
  expect(toast?.text).toBe("Marked campaign 7 as seen.");
  await toast?.action?.run();
  expect(sent).toEqual(["POST /campaigns/7/seen", "DELETE /campaigns/7/seen"]);
  expect(onDone).toHaveBeenCalledTimes(2);
});

it("marks several campaigns", async () => {
  rendered(<MarkSeen ids={[7, 8]} />);
  await userEvent.click(await screen.findByRole("button", { name: "Mark 2 campaigns as seen" }));
  await waitFor(() => expect(sent).toEqual(["POST /campaigns/7/seen", "POST /campaigns/8/seen"]));
});

it("names the campaign in a row, for screen readers", async () => {
  rendered(<MarkSeen ids={[7]} compact />);
  const button = await screen.findByRole("button", { name: "Mark campaign 7 as seen" });
  expect(button.textContent).toBe("Mark as seen");
});

it("says why it was refused", async () => {
  refused = true;
  rendered(<MarkSeen ids={[7]} onDone={onDone} />);
  await userEvent.click(await screen.findByRole("button"));
  expect((await screen.findByRole("alert")).textContent).toContain("Gone.");
  expect(onDone).not.toHaveBeenCalled();
});

it("is not offered to viewers", async () => {
  role = "viewer";
  const { container } = rendered(<MarkSeen ids={[7]} />);
  await waitFor(() => expect(asked).toBe(true));
  expect(container.querySelector("button")).toBeNull();
});
