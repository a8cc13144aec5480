import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import Plotly from "plotly.js-basic-dist-min";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import { Chart } from "./Chart";
import { stripsFigure } from "./strips";
import { palette } from "./testPalette";

vi.mock("plotly.js-basic-dist-min", () => {
  const drawn = { on: () => undefined, removeListener: () => undefined };
  const react = vi.fn((element, _traces, layout) => {
    element.layout = layout;
    return Promise.resolve(drawn);
  });
  return { default: { react, purge: () => undefined, Plots: { resize: () => undefined } } };
});

const figure = stripsFigure(
  [
    {
      title: "Rate",
      unit: "MB/s",
      height: 80,
      lines: [{ name: "a", style: 0, x: [0, 100], y: [1, 2] }],
    },
  ],
  {
    palette,
    xTitle: "s",
    revision: "cell",
    marks: [{ at: 50, label: "2 → 1", sentence: "The rate fell." }],
  },
);

const shown = () => {
  const layout = vi.mocked(Plotly.react).mock.lastCall?.[2];
  return (layout?.xaxis as { range?: [number, number] } | undefined)?.range;
};

it("zooms to an event by its button, and back on a second click", async () => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  const zoom = vi.fn();
  rendered(
    <Chart
      title="Throughput"
      description="A chart"
      figure={figure}
      empty=""
      height={100}
      table={() => ({ columns: [], rows: [] })}
      filename="a"
      onZoom={zoom}
    />,
  );
  const button = await screen.findByRole("button", { name: "The rate fell." });
  await vi.waitFor(() => expect(button.hasAttribute("disabled")).toBe(false));
  await vi.waitFor(() => expect(shown()).toEqual([0, 100]));
  await userEvent.click(button);
  await vi.waitFor(() => expect(shown()).toEqual([40, 60]), 5000);
  expect(zoom).toHaveBeenLastCalledWith([40, 60]);
  await act(() => userEvent.click(button));
  await vi.waitFor(() => expect(shown()).toEqual([0, 100]), 5000);
  expect(zoom).toHaveBeenLastCalledWith(null);
});
