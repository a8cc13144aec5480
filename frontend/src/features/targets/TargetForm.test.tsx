import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { TargetForm } from "./TargetForm";

const vault = { id: 4, name: "vault", cache_bytes: 64e9, targets: 0 };
let asked: unknown[];
let answers: Record<string, () => Response>;

beforeEach(() => {
  asked = [];
  answers = {
    "GET /api/v1/arrays": () => Response.json({ items: [vault], next_cursor: null }),
    "POST /api/v1/targets": () => Response.json({ id: 9 }, { status: 201 }),
  };
  vi.stubGlobal("fetch", async (request: Request) => {
    const what = `${request.method} ${new URL(request.url).pathname}`;
    if (request.method === "POST") asked.push(await request.json());
    return answers[what]?.() ?? Response.json({ title: "No such thing" }, { status: 404 });
  });
});

function Form() {
  const [path, setPath] = useState("");
  return (
    <TargetForm
      hostId={1}
      path={path}
      onPath={setPath}
      onRoot={path.startsWith("/root")}
      onMade={() => setPath("")}
    />
  );
}

const directory = () => screen.getByRole("textbox", { name: "Directory" });
const consent = () => screen.queryByRole("checkbox", { name: /root file system/ });
const add = () => userEvent.click(screen.getByRole("button", { name: "Check and add target" }));

it("asks for consent on the root file system, for each path separately", async () => {
  rendered(<Form />);
  expect(consent()).toBeNull();
  await userEvent.type(directory(), "/root/a");
  await userEvent.click(consent() ?? directory());
  await userEvent.type(directory(), "/b");
  expect(consent()).toHaveProperty("checked", false);
  await add();
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({ path: "/root/a/b", root_consent: false });
});

it("clears an error when the path changes", async () => {
  answers["POST /api/v1/targets"] = () =>
    Response.json(
      { title: "It lies on the root file system", code: "root_fs_consent_required" },
      { status: 422 },
    );
  rendered(<Form />);
  await userEvent.type(directory(), "/mnt");
  await add();
  await screen.findByRole("alert");
  await userEvent.click(consent() ?? directory());
  await userEvent.type(directory(), "/vault");
  expect(consent()).toBeNull();
  expect(screen.queryByRole("alert")).toBeNull();
});

it("offers the arrays with their cache, and explains the cache", async () => {
  rendered(<Form />);
  await userEvent.type(directory(), "/mnt");
  const array = screen.getByRole("combobox", { name: "Array" });
  await userEvent.click(array);
  await userEvent.click(await screen.findByText(/^vault, cache 64.0/));
  expect(screen.getByText(/possibly served by the array/)).toBeTruthy();
  await add();
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({ path: "/mnt", array_id: 4 });
});

it("adds an array and selects it", async () => {
  const made = { ...vault, id: 5, name: "silo", cache_bytes: 32e9 };
  answers["POST /api/v1/arrays"] = () => {
    answers["GET /api/v1/arrays"] = () => Response.json({ items: [made], next_cursor: null });
    return Response.json(made, { status: 201 });
  };
  rendered(<Form />);
  await userEvent.click(screen.getByRole("button", { name: "New array" }));
  const dialog = await screen.findByRole("dialog", { name: "Add array" });
  const [, name] = screen.getAllByRole("textbox", { name: /^Name/ });
  await userEvent.type(name ?? dialog, "silo");
  await userEvent.type(screen.getByRole("textbox", { name: "Cache size" }), "32 GB");
  await userEvent.click(screen.getByRole("button", { name: "Add array" }));
  await waitFor(() =>
    expect(screen.getByRole("combobox", { name: "Array" })).toHaveProperty(
      "value",
      "silo, cache 32.0\u00a0GB",
    ),
  );
  expect(asked).toEqual([expect.objectContaining({ name: "silo", cache_bytes: 32e9 })]);
});
