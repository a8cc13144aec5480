import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { Grid, GridCell } from "./grid";
import { HeatGrid } from "./HeatGrid";

const cell = (key: string, more: Partial<GridCell> = {}): GridCell => ({
  key,
  state: "done",
  text: key,
  note: null,
  fill: "#39486b",
  best: false,
  withinNoise: false,
  badge: null,
  sentence: `cell ${key}`,
  ...more,
});

const grid: Grid = {
  rowTitle: "Block",
  columnTitle: "Threads",
  columns: [
    { key: "1", label: "1" },
    { key: "2", label: "2" },
  ],
  rows: [
    { key: "a", label: "4 KiB", cells: [cell("a1"), cell("a2", { best: true })] },
    {
      key: "b",
      label: "64 KiB",
      cells: [
        cell("b1", {
          badge: { letter: "C", shape: "square", word: "served by the page cache", reason: "61 %" },
        }),
        cell("b2", { state: "failed", text: "–", note: "failed", fill: null }),
      ],
    },
  ],
};

describe("a heat grid", () => {
  it("is a table with row and column headers and a description of each cell", () => {
    render(<HeatGrid grid={grid} caption="mean durable rate" />);
    expect(screen.getByRole("grid", { name: "mean durable rate" })).toBeDefined();
    expect(screen.getByRole("rowheader", { name: "64 KiB" })).toBeDefined();
    expect(screen.getByRole("gridcell", { name: "cell b2" }).textContent).toContain("failed");
  });

  it("marks the best by a word and a warning by a sign with its reason, not by color alone", () => {
    render(<HeatGrid grid={grid} caption="rates" />);
    expect(screen.getByRole("gridcell", { name: "cell a2" }).textContent).toContain("best");
    expect(screen.getByTitle("served by the page cache: 61 %").textContent).toBe("C");
  });

  it("is entered at the best cell, navigated by arrow keys, and opens a cell on Enter", async () => {
    const opened = vi.fn();
    const user = userEvent.setup();
    render(<HeatGrid grid={grid} caption="rates" onSelect={opened} />);
    await user.tab();
    expect(document.activeElement?.textContent).toContain("cell a2");
    await user.keyboard("{ArrowDown}{ArrowLeft}{Enter}");
    expect(document.activeElement?.textContent).toContain("cell b1");
    expect(opened).toHaveBeenCalledWith("b1");
  });

  it("describes the hovered cell in the line below", async () => {
    const user = userEvent.setup();
    render(<HeatGrid grid={grid} caption="rates" />);
    await user.hover(screen.getByRole("gridcell", { name: "cell b1" }));
    expect(screen.getAllByText("cell b1").map((each) => each.tagName)).toContain("P");
  });

  it("indicates columns beyond its edge until they are visible", () => {
    const sizes = { scrollWidth: 431, clientWidth: 353 };
    for (const [name, value] of Object.entries(sizes)) {
      vi.spyOn(Element.prototype, name as keyof typeof sizes, "get").mockReturnValue(value);
    }
    render(<HeatGrid grid={grid} caption="rates" />);
    expect(screen.getByTitle("More columns")).toBeDefined();
    const scrolling = screen.getByRole("grid").parentElement as HTMLElement;
    scrolling.scrollLeft = 78;
    fireEvent.scroll(scrolling);
    expect(screen.queryByTitle("More columns")).toBeNull();
    vi.restoreAllMocks();
  });

  it("says which cell is open", () => {
    render(<HeatGrid grid={grid} caption="rates" selected="b2" onSelect={() => {}} />);
    expect(screen.getByRole("gridcell", { selected: true }).textContent).toContain("cell b2");
  });
});
