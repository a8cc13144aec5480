import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { DataTableView } from "./DataTableView";

const table = (rows: number) => ({
  columns: ["time (s)", "rate"],
  rows: Array.from({ length: rows }, (_, index) => [index, index === 1 ? null : index * 2]),
});

beforeEach(() => {
  // jsdom has no layout; this is the height from the style sheet
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(320);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(800);
});

it("renders only the visible ones of three thousand rows, and reports the total", () => {
  render(<DataTableView table={table(3000)} caption="Throughput" />);
  expect(screen.getByRole("table").getAttribute("aria-rowcount")).toBe("3001");
  const rows = screen.getAllByRole("row");
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.length).toBeLessThan(100);
});

it("shows unknown values as a dash", () => {
  render(<DataTableView table={table(3)} caption="Throughput" />);
  expect(screen.getAllByRole("cell").map(({ textContent }) => textContent)).toEqual([
    ...["0", "0"],
    ...["1", "–"],
    ...["2", "4"],
  ]);
});
