import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { headline, levels, matrixOf } from "@/features/kinds/matrix/testMatrix";
import { MatrixAnswer } from "./MatrixAnswer";

const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;

it("shows the headline's figure in the reader's unit, with its doubt before it", () => {
  const matrix = {
    ...matrixOf([]),
    headline: headline({ bytes_per_s: 5.1e9, served_by: "page_cache" }),
  };
  const { container } = rendered(
    <MatrixAnswer matrix={matrix} reading={{ ...reading, unit: "Gb/s" }} ended />,
  );
  expect(container.textContent?.replaceAll("\u00a0", " ")).toContain(
    "Served by the page cache:40.8 Gb/s durable with one writer and 256 KiB blocks",
  );
});

it("announces an answer only while the run is active", () => {
  const { unmount } = rendered(
    <MatrixAnswer matrix={matrixOf([])} reading={reading} ended={false} />,
  );
  expect(screen.getByText(/No result yet/)).toBeDefined();
  unmount();
  rendered(<MatrixAnswer matrix={matrixOf([])} reading={reading} ended />);
  expect(screen.getByText("Nothing was measured.")).toBeDefined();
});

it("shows the levels of a cliff and no mean beside them", () => {
  const matrix = {
    ...matrixOf([]),
    headline: headline({
      bytes_per_s: null,
      levels: { held: levels, flagged_trials: 2, trials: 2 },
    }),
    headline_levels: levels,
    best_bytes_per_s: 157e6,
  };
  const { container } = rendered(<MatrixAnswer matrix={matrix} reading={reading} ended />);
  const text = container.textContent?.replaceAll("\u00a0", " ");
  expect(text).toContain(
    "350 MB/s for 12 s (4.30 GB), then 41.0 MB/s durable with one writer and 256 KiB blocks",
  );
  expect(text).not.toContain("157");
});
