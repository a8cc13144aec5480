import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { columnsOf, DataTable } from "./DataTable";

type Row = { id: number; name: string };
const column = columnsOf<Row>();
const COLUMNS = column.columns([
  column.accessor("name", { header: "Name", meta: { narrow: "lead" } }),
  column.display({
    id: "actions",
    header: "Actions",
    cell: () => <button type="button">Do</button>,
  }),
]);
const ROWS = [
  { id: 1, name: "vault 10" },
  { id: 2, name: "vault 9" },
];

const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[0]?.textContent);

it("sorts by a header in both directions and indicates the direction", async () => {
  rendered(
    <DataTable
      caption="Arrays"
      columns={COLUMNS}
      rows={ROWS}
      rowId={(row) => row.id}
      sortedBy="name"
    />,
  );
  expect(names()).toEqual(["vault 9", "vault 10"]);
  await userEvent.click(screen.getByRole("button", { name: /Name/ }));
  expect(names()).toEqual(["vault 10", "vault 9"]);
  expect(screen.getByRole("columnheader", { name: /Name/ })).toHaveProperty(
    "ariaSort",
    "descending",
  );
});

it("unfolds a row by its name, and leaves the others", async () => {
  rendered(<DataTable caption="Arrays" columns={COLUMNS} rows={ROWS} rowId={(row) => row.id} />);
  const [first, second] = screen.getAllByRole("button", { name: /^Details of/ });
  expect(first?.getAttribute("aria-labelledby")).not.toBe(second?.getAttribute("aria-labelledby"));
  await userEvent.click(screen.getByRole("button", { name: "Details of vault 10" }));
  const unfolded = () =>
    screen
      .getAllByRole("row")
      .slice(1)
      .map((row) => row.dataset.unfolded);
  expect(unfolded()).toEqual(["true", "false"]);
  await userEvent.keyboard("{Enter}");
  expect(unfolded()).toEqual(["false", "false"]);
});

it("labels each value for the unfolded row", () => {
  rendered(<DataTable caption="Arrays" columns={COLUMNS} rows={ROWS} rowId={(row) => row.id} />);
  const [name, actions] = screen.getAllByRole("cell");
  expect(name?.dataset).toMatchObject({ label: "Name", place: "lead" });
  expect(actions?.dataset).toMatchObject({ label: "Actions", place: "folded" });
});

it("names the table, and the columns that hold buttons", () => {
  rendered(<DataTable caption="Arrays" columns={COLUMNS} rows={ROWS} rowId={(row) => row.id} />);
  expect(screen.getByRole("table", { name: "Arrays" })).toBeTruthy();
  expect(screen.getByRole("columnheader", { name: "Actions" })).toBeTruthy();
});
