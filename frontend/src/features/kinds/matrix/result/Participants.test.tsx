import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { rendered } from "@/components/rendered";
import type { Reading } from "@/features/kinds/matrix/matrix";
import { cell, matrixOf, stat, trial } from "@/features/kinds/matrix/testMatrix";
import { heldLevels } from "@/features/kinds/testLevels";
import { Participants, sharesWords } from "./Participants";

const reading = { rate: "durable", unit: "MB/s" } as Reading;
const shared = cell(65536, 1, {
  durable: stat(400e6),
  shares: {
    application: null,
    durable: {
      participants: [
        { participant_id: 7, bytes_per_s: 300e6, share: 0.75 },
        { participant_id: 8, bytes_per_s: 100e6, share: 0.25 },
      ],
      fairness: 0.8,
      slowest_participant_id: 8,
    },
  },
});
const matrix = {
  ...matrixOf([shared]),
  participants: [
    {
      id: 7,
      host: "web-1",
      path: "/mnt/a",
      role: "writer",
      clock_uncertainty_ns: 2_000_000,
      devices: [],
    },
    {
      id: 8,
      host: "web-2",
      path: "/mnt/a",
      role: "writer",
      clock_uncertainty_ns: 5_000_000,
      devices: [],
    },
  ],
};
const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("shows each share, the fairness and the slowest", async () => {
  const focus = vi.fn();
  rendered(
    <Participants matrix={matrix} cell={shared} reading={reading} focused={7} onFocus={focus} />,
  );
  const rows = screen.getAllByRole("row").map((row) => plain(row.textContent ?? ""));
  expect(rows[1]).toContain("web-1 /mnt/a300 MB/s75.0 %–");
  expect(rows[2]).toContain("web-2 /mnt/a100 MB/s25.0 %slowest");
  await userEvent.click(screen.getByRole("button", { name: /web-2/ }));
  expect(focus).toHaveBeenCalledWith(8);
});

it("shows the levels of a participant whose throughput changed", () => {
  const part = {
    participant_id: 8,
    status: "complete",
    reason: null,
    bytes: 2e9,
    application_bytes_per_s: null,
    durable_bytes_per_s: 54e6,
    start_delay_ns: 0,
    levels: heldLevels([105e6, 10.2], [31.5e6, 23]),
  };
  const trials = [
    { ...trial, participants: [part] },
    { ...trial, participants: [{ ...part, levels: null }] },
  ];
  rendered(
    <Participants
      matrix={matrix}
      cell={{ ...shared, trials }}
      reading={reading}
      focused={7}
      onFocus={() => undefined}
    />,
  );
  const rows = screen.getAllByRole("row").map((row) => plain(row.textContent ?? ""));
  expect(rows[1]).toMatch(/%–$/);
  expect(rows[2]).toContain(
    "slowest; 105 MB/s for 10 s (1.07 GB), then 31.5 MB/s (in 1 of 2 trials)",
  );
});

it("says the aggregate, the fairness, the slowest and how well the starts were synchronized", () => {
  expect(plain(sharesWords(matrix, shared, reading))).toBe(
    "Aggregate of 2 participants: 400 MB/s durable. Jain's fairness index 0.800; " +
      "slowest: web-2 /mnt/a. " +
      "The aggregate ends with the last participant's sync, each participant's rate with its own. " +
      "Starts were synchronized to within ±5.00 ms.",
  );
  const [first, second] = matrix.participants;
  const unread = {
    ...matrix,
    participants: [first, { ...second, clock_uncertainty_ns: null, devices: [] }],
  } as typeof matrix;
  expect(sharesWords(unread, shared, reading)).not.toContain("synchronized");
});

it("says why there are no shares", () => {
  const without = { ...shared, shares: null, durable: null };
  expect(sharesWords(matrix, { ...without, state: "running" }, reading)).toMatch(/appear when/);
  expect(sharesWords(matrix, { ...without, state: "failed" }, reading)).toBe(
    "No trial was completed by every participant.",
  );
});

it("is not there for a run of one participant", () => {
  const { container } = rendered(
    <Participants
      matrix={matrixOf([shared])}
      cell={shared}
      reading={reading}
      focused={null}
      onFocus={() => undefined}
    />,
  );
  expect(container.querySelector("table")).toBeNull();
});
