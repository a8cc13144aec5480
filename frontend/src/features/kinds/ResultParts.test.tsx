import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { headline } from "./matrix/testMatrix";
import { ResultTop } from "./ResultParts";

const WARNING = {
  code: "cliff",
  message: ["The rate fell from ", { bytes_per_s: 200e6 }, " to ", { bytes_per_s: 20e6 }, "."],
};

it("shows the answer first, then the run's notices, then the warnings in the reader's unit", () => {
  const { container } = rendered(
    <ResultTop
      headline={null}
      ended
      more={<p>More of it.</p>}
      notices={<p>A notice.</p>}
      warnings={[WARNING]}
      unit="Gb/s"
    />,
  );
  const text = container.textContent?.replaceAll("\u00a0", " ") ?? "";
  expect(text).toContain("Nothing was measured.More of it.A notice.");
  expect(screen.getByText(/^The rate fell/).textContent?.replaceAll("\u00a0", " ")).toBe(
    "The rate fell from 1.60 Gb/s to 160 Mb/s.",
  );
});

it("shows the first limitation, which is the gravest, and folds the others behind their number", () => {
  const warnings = ["Wrong data.", "Cut short.", "Unstable."].map((text) => ({
    code: text,
    message: [text],
  }));
  rendered(<ResultTop headline={null} ended notices={null} warnings={warnings} unit="MB/s" />);
  const shown = screen.getAllByRole("note").map(({ textContent }) => textContent);
  expect(shown).toEqual(["Wrong data.", "Cut short.", "Unstable."]);
  const others = screen.getByRole("group");
  expect(others.querySelector("summary")?.textContent).toBe("2 more");
  expect(others.textContent).not.toContain("Wrong data.");
});

it("says beside the answer what the selection of its cell means, in the reader's unit", () => {
  const selected = {
    message: [
      "With 95 % confidence the cell's true mean rate is between ",
      { bytes_per_s: 246e6 },
      " and ",
      { bytes_per_s: 268e6 },
      ", allowing for its selection as the highest of 35 means.",
    ],
    figures: { low_bytes_per_s: 246e6, high_bytes_per_s: 268e6, confidence: 0.95, means: 35 },
  };
  const { container } = rendered(
    <ResultTop
      headline={{ ...headline(), selected }}
      ended
      notices={<p>A notice.</p>}
      warnings={[]}
      unit="Gb/s"
    />,
  );
  expect(container.textContent?.replaceAll("\u00a0", " ")).toContain(
    " blocksWith 95 % confidence the cell's true mean rate is between 1.97 Gb/s and 2.14 Gb/s, allowing for its selection as the highest of 35 means.A notice.",
  );
});

it("shows the headline's figure in the reader's unit, with its doubt before it", () => {
  const { container } = rendered(
    <ResultTop
      headline={headline({ doubt: "Served by the page cache", figure: { bytes_per_s: 5.1e9 } })}
      ended
      notices={null}
      warnings={[]}
      unit="Gb/s"
    />,
  );
  expect(container.textContent?.replaceAll("\u00a0", " ")).toContain(
    "Served by the page cache:40.8 Gb/s durable with one writer and 256 KiB blocks",
  );
});

it("has no large figure where the rate did not hold", () => {
  const rest = [{ bytes_per_s: 350e6 }, " for 12 s, then ", { bytes_per_s: 41e6 }, " durable"];
  const { container } = rendered(
    <ResultTop
      headline={headline({ figure: null, rest })}
      ended
      notices={null}
      warnings={[]}
      unit="MB/s"
    />,
  );
  expect(container.textContent?.replaceAll("\u00a0", " ")).toContain(
    "350 MB/s for 12 s, then 41.0 MB/s durable",
  );
});

it("announces an answer only while the run is active", () => {
  const shown = (ended: boolean, absent?: string) =>
    rendered(
      <ResultTop
        headline={null}
        ended={ended}
        absent={absent}
        notices={null}
        warnings={[]}
        unit="MB/s"
      />,
    );
  const { unmount } = shown(false);
  expect(screen.getByText(/No result yet/)).toBeDefined();
  unmount();
  shown(true, "No result: no trial was completed.");
  expect(screen.getByText("No result: no trial was completed.")).toBeDefined();
});
