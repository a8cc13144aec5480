import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { Criterion } from "@/api/shapes";
import { rendered } from "@/components/rendered";
import { CriteriaField } from "./CriteriaField";

vi.stubGlobal(
  "fetch",
  vi.fn(async () => Response.json({ items: [], criteria: [] })),
);

function Form({ given = [] }: { given?: Criterion[] }) {
  const [criteria, setCriteria] = useState(given);
  return (
    <CriteriaField label="Criteria" description="" criteria={criteria} onChange={setCriteria} />
  );
}

it("an added criterion takes the focus, so that typing fills it", async () => {
  rendered(<Form />);
  await userEvent.click(screen.getByRole("button", { name: "Add criterion" }));
  await userEvent.keyboard("app.min >= 60 MB/s");
  expect(screen.getByRole("combobox", { name: "Criterion 1" })).toHaveProperty(
    "value",
    "app.min >= 60 MB/s",
  );
});

it("the criteria that a form opens with leave the focus where it is", () => {
  rendered(<Form given={[{ criterion: "steady", stop: false }]} />);
  expect(document.activeElement).toBe(document.body);
});
