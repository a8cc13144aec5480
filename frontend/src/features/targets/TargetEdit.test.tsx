import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { Target } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { TargetEdit } from "./TargetEdit";

const target = { id: 7, name: "a", path: "/mnt/a", reserve_bytes: 13527698700, array: null };
let asked: unknown[];

beforeEach(() => {
  asked = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "PATCH") asked.push(await request.json());
    return Response.json({ items: [], next_cursor: null });
  });
  rendered(<TargetEdit target={target as unknown as Target} onSaved={() => {}} />);
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
