import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { ResultTop } from "./ResultTop";

const WARNING = {
  code: "cliff",
  message: "The rate fell from 200 MB/s to 20.0 MB/s.",
  figures: { before_bytes_per_s: 200e6, after_bytes_per_s: 20e6 },
};

it("shows the answer first, then the run's notices, then the warnings in the reader's unit", () => {
  const { container } = rendered(
    <ResultTop
      answer={<p>The answer.</p>}
      headline={null}
      notices={<p>A notice.</p>}
      warnings={[WARNING]}
      unit="Gb/s"
    />,
  );
  const text = container.textContent?.replaceAll("\u00a0", " ") ?? "";
  expect(text).toContain("The answer.A notice.");
  expect(screen.getByText(/^The rate fell/).textContent?.replaceAll("\u00a0", " ")).toBe(
    "The rate fell from 1.60 Gb/s to 160 Mb/s.",
  );
});

it("says beside the answer what the selection of its cell means, in the reader's unit", () => {
  const selected = {
    message:
      "With 95 % confidence the cell's true mean rate is between 246 MB/s and 268 MB/s, allowing for its selection as the highest of 35 means.",
    figures: { low_bytes_per_s: 246e6, high_bytes_per_s: 268e6, confidence: 0.95, means: 35 },
  };
  const { container } = rendered(
    <ResultTop
      answer={<p>The answer.</p>}
      headline={{ selected }}
      notices={<p>A notice.</p>}
      warnings={[]}
      unit="Gb/s"
    />,
  );
  expect(container.textContent?.replaceAll("\u00a0", " ")).toContain(
    "The answer.With 95 % confidence the cell's true mean rate is between 1.97 Gb/s and 2.14 Gb/s, allowing for its selection as the highest of 35 means.A notice.",
  );
});
