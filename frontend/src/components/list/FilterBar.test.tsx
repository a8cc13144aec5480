import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { ListSearch } from "@/api/listSearch";
import { rendered } from "@/components/rendered";
import { FilterBar } from "./FilterBar";
import type { ListView } from "./ListTable";

const STATE = {
  name: "state",
  label: "State",
  several: true,
  options: [
    { value: "done", label: "done" },
    { value: "cancelled", label: "canceled" },
  ],
};

function shown(search: ListSearch): ListView {
  const view: ListView = {
    search,
    asked: { ...search, sort: "-id" },
    isFiltered: true,
    change: vi.fn(),
    clear: vi.fn(),
  };
  rendered(<FilterBar view={view} what="runs" filters={[STATE]} time="Launched" />);
  return view;
}

it("removes one filter by its chip, and all at once", async () => {
  const view = shown({ state: "cancelled", within: "7d" });
  await userEvent.click(screen.getByRole("button", { name: "Remove filter State: canceled" }));
  expect(view.change).toHaveBeenCalledWith({ state: undefined });
  await userEvent.click(screen.getByRole("button", { name: "Clear all" }));
  expect(view.clear).toHaveBeenCalled();
});

it("shows no chips without filters", () => {
  shown({ sort: "name" });
  expect(screen.queryByRole("list", { name: "Active filters" })).toBeNull();
});

it("asks for words once, when typing pauses", async () => {
  const view = shown({});
  await userEvent.type(screen.getByRole("searchbox", { name: "Search runs" }), "vault ");
  await waitFor(() => expect(view.change).toHaveBeenCalledWith({ q: "vault" }));
  expect(view.change).toHaveBeenCalledTimes(1);
});

it("offers a first and a last day", async () => {
  const view = shown({ from: "2026-11-01" });
  expect(screen.getByLabelText("Launched from")).toHaveProperty("value", "2026-11-01");
  await userEvent.type(screen.getByLabelText("Launched to"), "2026-11-30");
  expect(view.change).toHaveBeenLastCalledWith({ to: "2026-11-30" });
});

it("chooses several values, each with a chip of its own", async () => {
  const view = shown({ state: "done" });
  await userEvent.click(screen.getByRole("combobox", { name: "State" }));
  await userEvent.click(await screen.findByRole("option", { name: "canceled" }));
  expect(view.change).toHaveBeenLastCalledWith({ state: "done,cancelled" });
  await userEvent.click(screen.getByRole("option", { name: "done" }));
  expect(view.change).toHaveBeenLastCalledWith({ state: undefined });
});

it("names all chosen values, and removes one of them by its chip", async () => {
  const view = shown({ state: "done,cancelled" });
  expect(screen.getByRole("combobox", { name: "State" }).textContent).toBe("done, canceled");
  await userEvent.click(screen.getByRole("button", { name: "Remove filter State: canceled" }));
  expect(view.change).toHaveBeenCalledWith({ state: "done" });
});
