import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { Matches } from "./Matches";

const MATCH = {
  host: { id: 5, name: "web-1" },
  target: { id: 9, path: "/mnt/a", name: "a" },
  array_id: null,
  earlier: {
    id: 3,
    host: { id: 4, name: "web-1 (deleted, 4)" },
    path: "/mnt/a",
    array: "vault",
    runs: 1,
    last_run_at: "2026-11-21T01:00:00Z",
  },
  reasons: ["file_system_uuid", "machine_and_path"],
};
let sent: { url: string; body: unknown }[];
let items: unknown[];
let role: string;

beforeEach(() => {
  sent = [];
  items = [MATCH];
  role = "operator";
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "PUT") {
      sent.push({ url: new URL(request.url).pathname, body: await request.json() });
      items = [];
      return Response.json({ target_id: 9, earlier_id: 3, same: true, runs: 1 });
    }
    return request.url.includes("/session")
      ? Response.json({ user: { name: "ada", role }, csrf: "" })
      : Response.json({ items });
  });
});

it("asks whether a target is the deleted one, says why, and warns of clones", async () => {
  rendered(<Matches of={{ host_id: 5 }} />);
  await screen.findByText(
    "Is web-1:/mnt/a the same storage as the deleted target web-1 (deleted, 4):/mnt/a?",
  );
  expect(screen.getByRole("note").textContent).toMatch(
    /same machine and path. The deleted one belonged to array vault and has 1 run,/,
  );
  expect(screen.getByRole("note").textContent).toContain("A clone has the same identifiers");
});

it("keeps the history only after a confirmation", async () => {
  rendered(<Matches of={{ host_id: 5 }} />);
  await userEvent.click(await screen.findByRole("button", { name: "Keep history" }));
  expect(sent).toEqual([]);
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("Its 1 run will belong to web-1:/mnt/a");
  const buttons = await screen.findAllByRole("button", { name: "Keep history" });
  await userEvent.click(buttons.at(-1) as HTMLElement);
  await waitFor(() =>
    expect(sent).toEqual([{ url: "/api/v1/targets/9/matches/3", body: { same: true } }]),
  );
});

it("is gone after the answer that both are not the same", async () => {
  rendered(<Matches of={{ array_id: 2 }} />);
  await userEvent.click(await screen.findByRole("button", { name: "Not the same" }));
  await waitFor(() => expect(screen.queryByRole("note")).toBeNull());
  expect(sent[0]?.body).toEqual({ same: false });
});

it("lets a viewer read but not decide", async () => {
  role = "viewer";
  rendered(<Matches of={{ host_id: 5 }} />);
  await screen.findByRole("note");
  expect(screen.queryByRole("button")).toBeNull();
});
