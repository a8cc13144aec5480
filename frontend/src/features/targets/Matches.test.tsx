import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { Matches } from "./Matches";

const MATCH = {
  of: "target",
  id: 9,
  name: "web-1:/mnt/a",
  earlier: {
    id: 3,
    name: "web-1 (deleted, 4):/mnt/a",
    array: "vault",
    runs: 1,
    last_run_at: "2026-11-21T01:00:00Z",
  },
  reasons: ["file_system_uuid", "machine_and_path"],
  clones: [] as string[],
};
const KEPT = {
  of: "array",
  id: 2,
  name: "vault",
  earlier_id: 1,
  earlier_name: "old vault",
  same: true,
  runs: 14,
  decided_by: "ada",
  decided_at: "2026-11-22T09:00:00Z",
};
let sent: { url: string; body: unknown }[];
let items: unknown[];
let decided: unknown[];
let role: string;

beforeEach(() => {
  sent = [];
  items = [MATCH];
  decided = [];
  role = "operator";
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "PUT") {
      sent.push({ url: new URL(request.url).pathname, body: await request.json() });
      items = items.slice(1);
      return Response.json({ of: "target", id: 9, earlier_id: 3, same: true, runs: 1 });
    }
    if (request.method === "DELETE") {
      sent.push({ url: new URL(request.url).pathname, body: null });
      decided = [];
      return new Response(null, { status: 204 });
    }
    return request.url.includes("/session")
      ? Response.json({ user: { name: "ada", role }, csrf: "" })
      : Response.json({ items, decided });
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

it("names the clones that are registered too", async () => {
  items = [{ ...MATCH, clones: ["web-2:/mnt/a"] }];
  rendered(<Matches of={{ host_id: 5 }} />);
  const note = await screen.findByRole("note");
  expect(note.textContent).toContain(
    "web-2:/mnt/a has the same identifiers, so at least one is a clone.",
  );
});

it("names a few of many clones", async () => {
  items = [{ ...MATCH, clones: ["a:/x", "b:/x", "c:/x", "d:/x"] }];
  rendered(<Matches of={{ host_id: 5 }} />);
  const note = await screen.findByRole("note");
  expect(note.textContent).toContain("same file system UUID and the same machine and path.");
  expect(note.textContent).toContain("a:/x, b:/x and 2 others have the same identifiers");
});

it("asks the same of hosts and arrays, and stores it there", async () => {
  items = [
    { ...MATCH, of: "host", id: 5, name: "web-1", reasons: ["machine_id"] },
    { ...MATCH, of: "array", id: 2, name: "vault", reasons: ["serial_number"] },
  ];
  rendered(<Matches of={{ host_id: 5 }} />);
  await screen.findByText(/^Is web-1 the same machine as the deleted host web-1/);
  await screen.findByText(/^Is vault the same array as the deleted one, web-1/);
  for (const button of screen.getAllByRole("button", { name: "Not the same" })) {
    await userEvent.click(button);
  }
  expect(sent.map(({ url }) => url)).toEqual([
    "/api/v1/hosts/5/matches/3",
    "/api/v1/arrays/2/matches/3",
  ]);
});

it("undoes a confirmed match after saying what changes", async () => {
  items = [];
  decided = [KEPT];
  rendered(<Matches of={{ array_id: 2 }} />);
  await userEvent.click(await screen.findByText("Decided matches (1)"));
  screen.getByText(/^14 runs of the deleted array old vault belong to vault, decided by ada/);
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  const dialog = await screen.findByRole("dialog");
  expect(dialog.textContent).toContain("Runs launched since stay, and no result changes.");
  expect(sent).toEqual([]);
  await userEvent.click((await screen.findAllByRole("button", { name: "Undo" })).at(-1) as Element);
  await waitFor(() => expect(sent).toEqual([{ url: "/api/v1/arrays/2/matches/1", body: null }]));
  await waitFor(() => expect(screen.queryByText("Decided matches (1)")).toBeNull());
});

it("proposes a declined match again", async () => {
  items = [];
  decided = [{ ...KEPT, of: "host", id: 5, name: "web-1", same: false, runs: 0 }];
  rendered(<Matches of={{ host_id: 5 }} />);
  await userEvent.click(await screen.findByText("Decided matches (1)"));
  screen.getByText(/^web-1 is not the deleted host old vault/);
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  expect((await screen.findByRole("dialog")).textContent).toContain("No run moves.");
});
