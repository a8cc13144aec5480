import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { levels, matrixOf } from "@/features/matrix/testMatrix";
import { Answer } from "./Answer";

const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;

it("shows the headline's figure in the reader's unit, with its doubt before it", () => {
  const matrix = {
    ...matrixOf([]),
    headline: "Served by the page cache: 5.10 GB/s with one reader and 1 MiB blocks",
    headline_bytes_per_s: 5.1e9,
  };
  const { container } = rendered(
    <Answer matrix={matrix} reading={{ ...reading, unit: "Gb/s" }} ended />,
  );
  expect(container.textContent).toContain(
    "Served by the page cache:40.8 Gb/s with one reader and 1 MiB blocks",
  );
});

it("promises an answer only while one may still come", () => {
  const { unmount } = rendered(<Answer matrix={matrixOf([])} reading={reading} ended={false} />);
  expect(screen.getByText(/No result yet/)).toBeDefined();
  unmount();
  rendered(<Answer matrix={matrixOf([])} reading={reading} ended />);
  expect(screen.getByText("Nothing was measured.")).toBeDefined();
});

it("shows both levels of a cliff and no mean beside them", () => {
  const matrix = {
    ...matrixOf([]),
    headline: "350 MB/s for 12.3 s, then 41.0 MB/s durable with one writer and 1 MiB blocks",
    headline_levels: levels,
    best_bytes_per_s: 157e6,
  };
  const { container } = rendered(<Answer matrix={matrix} reading={reading} ended />);
  const text = container.textContent?.replaceAll("\u00a0", " ");
  expect(text).toContain(
    "350 MB/s for 12 s, then 41.0 MB/s durable with one writer and 1 MiB blocks",
  );
  expect(text).not.toContain("157");
});
