import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Target } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { TargetEdit } from "./TargetForm";

const target = {
  id: 7,
  name: "a",
  path: "/mnt/a",
  reserve_bytes: 13527698700,
  array: null,
  etag: '"opened"',
};
let asked: unknown[];
let tags: (string | null)[];
let answer: () => Response;
let edit: ReturnType<typeof rendered>;

beforeEach(() => {
  asked = [];
  tags = [];
  answer = () => Response.json({ items: [], next_cursor: null });
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method !== "PATCH") return Response.json({ items: [], next_cursor: null });
    tags.push(request.headers.get("If-Match"));
    asked.push(await request.json());
    return answer();
  });
  edit = rendered(<TargetEdit target={target as unknown as Target} onSaved={() => {}} />);
});

const kept = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Reserved space" });
const save = async () => {
  await userEvent.click(screen.getByRole("button", { name: "Save target" }));
  await waitFor(() => expect(asked).toHaveLength(1));
};

it("shows the reserved space with three digits, and keeps it unless changed", async () => {
  expect(kept().value).toBe("13.5\u00a0GB");
  await save();
  expect(asked[0]).not.toHaveProperty("reserve_bytes");
});

it("sends the input", async () => {
  await userEvent.clear(kept());
  await userEvent.type(kept(), "20 GB");
  await save();
  expect(asked[0]).toMatchObject({ reserve_bytes: 20e9 });
});

it("changes the version that was opened, and says who changed it since", async () => {
  const newer = { ...target, etag: '"newer"' } as unknown as Target;
  edit.rerender(<TargetEdit target={newer} onSaved={() => {}} />);
  answer = () =>
    Response.json(
      {
        title: "Changed since you opened it",
        status: 412,
        code: "precondition_failed",
        detail: "ada changed it at 2026-11-26 22:10:05 UTC, after you read it.",
        errors: [],
      },
      { status: 412, headers: { "Content-Type": "application/problem+json" } },
    );
  await save();
  expect(tags).toEqual(['"opened"']);
  expect((await screen.findByRole("alert")).textContent).toContain("ada changed it");
  expect(screen.getByRole("button", { name: "Reload page" })).toBeTruthy();
});
