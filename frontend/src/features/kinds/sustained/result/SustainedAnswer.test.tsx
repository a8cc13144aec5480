import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Sustained } from "@/features/kinds/sustained/shapes";
import { SustainedAnswer } from "./SustainedAnswer";

const shown = (bytes: number, ended: boolean) => {
  const result = { headline: null, cells: [{ trials: [{ bytes }] }] } as unknown as Sustained;
  render(
    <MantineProvider>
      <SustainedAnswer result={result} unit="MB/s" ended={ended} />
    </MantineProvider>,
  );
};

it("does not say that nothing was measured if a trial was interrupted", () => {
  shown(296e6, true);
  expect(screen.getByText("No result: no trial was completed.")).toBeDefined();
});

it("says that nothing was measured if no trial wrote or read anything", () => {
  shown(0, true);
  expect(screen.getByText("Nothing was measured.")).toBeDefined();
});
