import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { matrixOf } from "@/features/matrix/testMatrix";
import { Answer } from "./Answer";

const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;

it("shows the headline's figure in the reader's unit, with its doubt before it", () => {
  const matrix = {
    ...matrixOf([]),
    headline: "Served by the cache: 5.10 GB/s with one reader and 1 MiB blocks",
    headline_bps: 5.1e9,
  };
  const { container } = rendered(
    <Answer matrix={matrix} reading={{ ...reading, unit: "Gb/s" }} ended />,
  );
  expect(container.textContent).toContain(
    "Served by the cache:40.8 Gb/s with one reader and 1 MiB blocks",
  );
});

it("promises an answer only while one may still come", () => {
  const { unmount } = rendered(<Answer matrix={matrixOf([])} reading={reading} ended={false} />);
  expect(screen.getByText(/no answer yet/)).toBeDefined();
  unmount();
  rendered(<Answer matrix={matrixOf([])} reading={reading} ended />);
  expect(screen.getByText("Nothing was measured.")).toBeDefined();
});
