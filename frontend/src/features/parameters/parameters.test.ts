import { expect, it } from "vitest";
import { groupsOf, KINDS } from "@/features/kinds/registry";
import { overrideWords, parametersIn } from "./parameters";

it("names parameters as the launch form does, with their units", () => {
  const overrides = { block: [65536, 1048576], file_size: 4_000_000, repeats: null, unknown: 3 };
  const words = overrideWords(overrides, parametersIn(groupsOf(KINDS))).map((one) =>
    one.replaceAll("\u00a0", " "),
  );
  expect(words).toEqual([
    expect.stringMatching(/^Block sizes? 64 KiB, 1 MiB$/),
    expect.stringMatching(/^File size 4(\.00)? MB$/),
    "unknown 3",
  ]);
});
