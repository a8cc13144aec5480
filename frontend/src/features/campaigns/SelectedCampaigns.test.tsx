import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Campaign } from "@/api/shapes";
import { currentToasts } from "@/components/feedback/Toasts";
import { rendered } from "@/components/rendered";
import { SelectedCampaigns } from "./SelectedCampaigns";

const campaign = (id: number, state: string) =>
  ({
    id,
    state,
    cancel_requested: false,
    labels: { site: "fra" },
    etag: `"of ${id}"`,
  }) as unknown as Campaign;
let sent: { method: string; path: string; ifMatch?: string; body?: unknown }[];
let refused: number[];
let missing: number[];
const onDone = vi.fn();

beforeEach(() => {
  sent = [];
  refused = [];
  missing = [];
  onDone.mockReset();
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname.replace("/api/v1", "");
    const id = Number(path.split("/")[2]);
    if (path === "/session") return Response.json({ user: { name: "ada", role: "operator" } });
    if (request.method === "GET") return Response.json(campaign(id, "done"));
    const text = await request.text();
    const ifMatch = request.headers.get("If-Match");
    sent.push({
      method: request.method,
      path,
      ...(ifMatch ? { ifMatch } : {}),
      ...(text ? { body: JSON.parse(text) } : {}),
    });
    if (refused.includes(id)) {
      return Response.json(
        { title: "Not allowed", detail: "It is the baseline." },
        { status: 409 },
      );
    }
    if (missing.includes(id)) {
      return Response.json({ title: "Not found", detail: "It was deleted." }, { status: 404 });
    }
    return Response.json({ id, name: "Weekly" });
  });
});

async function confirm(label: string) {
  await userEvent.click(screen.getByRole("button", { name: label }));
  const dialog = await screen.findByRole("dialog");
  const buttons = [...dialog.querySelectorAll("button")];
  await userEvent.click(buttons.find((one) => one.textContent === label) as HTMLElement);
}

it("cancels those that run and deletes those that ended", () => {
  rendered(
    <SelectedCampaigns
      campaigns={[campaign(1, "running"), campaign(2, "done"), campaign(3, "failed")]}
      onDone={onDone}
    />,
  );
  expect(screen.getAllByRole("button").map(({ textContent }) => textContent)).toEqual([
    "Cancel campaign",
    "Label 3 campaigns",
    "Delete 2 campaigns",
  ]);
});

it("marks those that need attention as seen", async () => {
  const failed = { ...campaign(3, "failed"), needs_attention: true };
  rendered(<SelectedCampaigns campaigns={[campaign(2, "done"), failed]} onDone={onDone} />);
  await userEvent.click(await screen.findByRole("button", { name: "Mark as seen" }));
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /campaigns/3/seen"]);
});

it("deletes all of them after a confirmation, and offers to undo it", async () => {
  rendered(
    <SelectedCampaigns campaigns={[campaign(2, "done"), campaign(3, "done")]} onDone={onDone} />,
  );
  await confirm("Delete 2 campaigns");
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "DELETE /campaigns/2",
    "DELETE /campaigns/3",
  ]);
  const toast = currentToasts().at(-1);
  expect(toast?.text).toBe("Deleted 2 campaigns.");
  await toast?.action?.run();
  expect(sent.slice(2).map(({ path }) => path)).toEqual([
    "/campaigns/2/undelete",
    "/campaigns/3/undelete",
  ]);
});

it("says why one was refused, and lets undo those before it", async () => {
  refused = [3];
  rendered(
    <SelectedCampaigns campaigns={[campaign(2, "done"), campaign(3, "done")]} onDone={onDone} />,
  );
  await confirm("Delete 2 campaigns");
  expect((await screen.findByRole("alert")).textContent).toContain("It is the baseline.");
  expect(currentToasts().at(-1)?.text).toBe("Deleted 1 campaign.");
  expect(onDone).not.toHaveBeenCalled();
});

it("deletes the others if somebody else has deleted one meanwhile", async () => {
  missing = [2];
  rendered(
    <SelectedCampaigns campaigns={[campaign(2, "done"), campaign(3, "done")]} onDone={onDone} />,
  );
  await confirm("Delete 2 campaigns");
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(currentToasts().at(-1)?.text).toBe("Deleted 1 campaign.");
});

it("restores the others if the deletion of one cannot be undone", async () => {
  rendered(
    <SelectedCampaigns campaigns={[campaign(2, "done"), campaign(3, "done")]} onDone={onDone} />,
  );
  await confirm("Delete 2 campaigns");
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  const undo = currentToasts().at(-1)?.action?.run;
  refused = [2];
  sent = [];
  await expect(undo?.()).rejects.toThrow("It is the baseline.");
  refused = [];
  await undo?.();
  expect(sent.map(({ path }) => path)).toEqual([
    "/campaigns/2/undelete",
    "/campaigns/3/undelete",
    "/campaigns/2/undelete",
  ]);
});

it("adds labels to each and keeps its others, also those that were just added", async () => {
  rendered(<SelectedCampaigns campaigns={[campaign(2, "done")]} onDone={onDone} />);
  await userEvent.click(screen.getByRole("button", { name: "Label campaign" }));
  const add = await screen.findByRole<HTMLButtonElement>("button", { name: "Add labels" });
  expect(add.disabled).toBe(true);
  await userEvent.type(screen.getByRole("textbox", { name: "Labels to add" }), "ticket=CHG-1");
  await userEvent.click(add);
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(sent).toEqual([
    {
      method: "PATCH",
      path: "/campaigns/2",
      ifMatch: '"of 2"',
      body: { labels: { site: "fra", ticket: "CHG-1" } },
    },
  ]);
});
