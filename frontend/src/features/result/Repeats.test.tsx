import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { rendered } from "@/components/rendered";
import { cell, flag } from "@/features/matrix/testMatrix";
import { Repeats } from "./Repeats";

const reading = { rate: "durable", stat: "mean", unit: "MB/s" } as const;
const trial = {
  id: 1,
  repeat: 1,
  status: "complete",
  application_bytes_per_s: 1e8,
  durable_bytes_per_s: 1e8,
  lat_max_ns: 28_800_000,
  bytes: 1e9,
  bounded: false,
  reason: null,
  flags: [],
  data_share: 0.01,
  attempts: 1,
};

it("shows a trial's flag as a word, with its evidence", () => {
  const trials = [trial, { ...trial, id: 2, repeat: 2, flags: [flag("too_short")] }];
  rendered(
    <Repeats
      cell={cell(65536, 1, { trials })}
      rates={["durable", "application"]}
      reading={reading}
      focused={null}
      onFocus={() => undefined}
    />,
  );
  const row = screen.getByRole("row", { name: /^2/ });
  const sign = within(row).getByTitle(/took 55\.0 ms/);
  expect(sign.textContent).toContain("too short");
  expect(within(screen.getByRole("row", { name: /^1/ })).queryByText(/too short/)).toBeNull();
});

it("says what the test data cost where it cost something", () => {
  const trials = [trial, { ...trial, id: 2, repeat: 2, data_share: 0.124 }];
  rendered(
    <Repeats
      cell={cell(4096, 1, { trials })}
      rates={["durable", "application"]}
      reading={reading}
      focused={null}
      onFocus={() => undefined}
    />,
  );
  const said = (repeat: RegExp) => screen.getByRole("row", { name: repeat }).textContent;
  expect(said(/^2/)).toContain("test data took 12.4\u00a0% of its threads' time");
  expect(said(/^1/)).not.toContain("test data");
});

it("says that a trial was measured again", () => {
  const trials = [trial, { ...trial, id: 2, repeat: 2, attempts: 2 }];
  rendered(
    <Repeats
      cell={cell(65536, 1, { trials })}
      rates={["durable", "application"]}
      reading={reading}
      focused={null}
      onFocus={() => undefined}
    />,
  );
  const said = (repeat: RegExp) => screen.getByRole("row", { name: repeat }).textContent;
  expect(said(/^2/)).toContain("measured at attempt 2");
  expect(said(/^1/)).not.toContain("attempt");
});
