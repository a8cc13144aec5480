import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import type { RateKind } from "@/features/kinds/matrix/matrix";
import { cell, flag, trial } from "@/features/kinds/matrix/testMatrix";
import { Repeats } from "./Repeats";

const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;

/** What the row of a first, ordinary repeat says, and that of a second one that differs. */
function rows(
  changed: object,
  rates: readonly RateKind[] = ["durable", "application"],
): [HTMLElement, HTMLElement] {
  rendered(
    <Repeats
      cell={cell(65536, 1, { trials: [trial, { ...trial, id: 2, repeat: 2, ...changed }] })}
      rates={rates}
      reading={reading}
      focused={null}
      onFocus={() => undefined}
    />,
  );
  return [screen.getByRole("row", { name: /^1/ }), screen.getByRole("row", { name: /^2/ })];
}

it("shows a trial's flag as a word, with its evidence", () => {
  const [first, second] = rows({ flags: [flag("too_short")] });
  expect(within(second).getByTitle(/55\.0 ms with the sync/).textContent).toContain("too short");
  expect(within(first).queryByText(/too short/)).toBeNull();
});

it("lists the repeats that do not count after the others, without a deviation", () => {
  const first = { ...trial, left_out: { durable: "contended" }, flags: [flag("contended")] };
  rendered(
    <Repeats
      cell={cell(65536, 1, { trials: [first, { ...trial, id: 2, repeat: 2 }] })}
      rates={["durable", "application"]}
      reading={reading}
      focused={null}
      onFocus={() => undefined}
    />,
  );
  const [, counted, apart] = screen.getAllByRole("row");
  expect(counted?.textContent).toMatch(/^2.*0\u00a0%/);
  expect(apart?.textContent).toMatch(/^1.*not counted.*contended/);
});

it("names the rate of a flag that does not affect both", () => {
  const [, second] = rows({ flags: [{ ...flag("too_short"), rates: ["application"] }] });
  expect(second.textContent).toContain("too short (application rate)");
});

it("shows the cost of test data if it is significant", () => {
  const [first, second] = rows({ data_share: 0.124 });
  expect(second.textContent).toContain("generating test data took 12.4\u00a0% of thread time");
  expect(first.textContent).not.toContain("test data");
});

it("calls the data work of a read verification", () => {
  const [, second] = rows({ data_share: 0.124 }, ["application"]);
  expect(second.textContent).toContain("verifying the data took 12.4\u00a0% of thread time");
});

it("says that a trial was measured again", () => {
  const [first, second] = rows({ attempts: 2 });
  expect(second.textContent).toContain("measured in attempt 2");
  expect(first.textContent).not.toContain("attempt");
});

it("does not show a trial as measured if every attempt was suspended", () => {
  const [, second] = rows({ attempts: 3, status: "suspended" });
  expect(second.textContent).toContain("suspended; 3 attempts");
  expect(second.textContent).not.toContain("measured");
});

const others = {
  state: "contended",
  reason: "uneven",
  evidence: ["Others."],
  figures: {},
} as const;

it.each([
  [
    { moved_share: 0.152, from_ns: 4.04e9, until_ns: 12.96e9 },
    "208 MB (15.2 % of all bytes, 4.0–13.0 s)",
  ],
  [{ moved_share: 0.152 }, "208 MB (15.2 % of all bytes)"],
  [{}, "208 MB"],
])("shows what others moved, its share and when: %j", (figures, text) => {
  const [, second] = rows({ contention: { ...others, others_bytes: 208e6, figures } });
  const shown = within(second).getByTitle("Others.").textContent;
  expect(shown?.replaceAll("\u00a0", " ")).toBe(text);
});

it("shows the share of an excess that may be amplification", () => {
  const figures = { moved_share: 0.2, from_ns: 1e9, until_ns: 2e9 };
  const state = "others_or_amplification";
  const [, second] = rows({ contention: { ...others, state, others_bytes: 1e8, figures } });
  const shown = within(second).getByTitle("Others.").textContent?.replaceAll("\u00a0", " ");
  expect(shown).toBe("100 MB (20.0 % of all bytes, 1.0–2.0 s) or amplification");
});
