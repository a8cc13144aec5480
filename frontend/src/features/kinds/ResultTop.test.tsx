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
