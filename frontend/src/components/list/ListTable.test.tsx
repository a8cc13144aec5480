import { useInfiniteQuery } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { columnsOf } from "@/components/table/DataTable";
import { ListTable, type ListView } from "./ListTable";

type Row = { id: number; name: string; targets: number };

const column = columnsOf<Row>();
const COLUMNS = column.columns([
  column.accessor("id", { header: "ID" }),
  column.accessor("name", { header: "Name" }),
  column.accessor("targets", { header: "Targets" }),
]);

const viewOf = (changed: Partial<ListView>): ListView => ({
  search: {},
  asked: { sort: "name" },
  isFiltered: false,
  change: vi.fn(),
  clear: vi.fn(),
  ...changed,
});

function List({ items, view }: { items: Row[]; view: ListView }) {
  const list = useInfiniteQuery({
    queryKey: ["rows"],
    queryFn: async () => ({ items }),
    initialPageParam: undefined,
    getNextPageParam: () => undefined,
  });
  return (
    <ListTable
      caption="Rows"
      what="rows"
      list={list}
      view={view}
      columns={COLUMNS}
      rowId={({ id }) => id}
      sorts={["id", "name"]}
      empty={<p>There are none yet</p>}
    />
  );
}

const ROWS = [
  { id: 2, name: "b", targets: 1 },
  { id: 1, name: "a", targets: 2 },
];

it("keeps the server's order and asks it for another", async () => {
  const view = viewOf({});
  rendered(<List items={ROWS} view={view} />);
  const cells = await screen.findAllByRole("cell");
  expect(cells.map(({ textContent }) => textContent)).toEqual(["2", "b", "1", "1", "a", "2"]);
  expect(screen.getByRole("columnheader", { name: /Name/ })).toHaveProperty(
    "ariaSort",
    "ascending",
  );
  await userEvent.click(screen.getByRole("button", { name: /Name/ }));
  expect(view.change).toHaveBeenLastCalledWith({ sort: "-name" });
  await userEvent.click(screen.getByRole("button", { name: /ID/ }));
  expect(view.change).toHaveBeenLastCalledWith({ sort: "-id" });
});

it("offers no order that the server does not have", async () => {
  rendered(<List items={ROWS} view={viewOf({})} />);
  const header = await screen.findByRole("columnheader", { name: "Targets" });
  expect(header.querySelector("button")).toBeNull();
  expect(header.querySelector(".visually-hidden")).toBeNull();
});

it("says that nothing matches the filters, and clears them", async () => {
  const view = viewOf({ isFiltered: true });
  rendered(<List items={[]} view={view} />);
  expect(await screen.findByText("No rows match the filters")).toBeTruthy();
  expect(screen.queryByText("There are none yet")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(view.clear).toHaveBeenCalled();
});

it("tells an empty list from one that the filters emptied", async () => {
  rendered(<List items={[]} view={viewOf({})} />);
  expect(await screen.findByText("There are none yet")).toBeTruthy();
});
