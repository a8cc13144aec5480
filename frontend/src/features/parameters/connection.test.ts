import { expect, it } from "vitest";
import { parseAutoRate, parseAutoSize, parseAutoWord } from "./connection";

it("reads auto as the choice of the kernel", () => {
  expect(parseAutoSize("auto", 0, 2 ** 30)).toEqual({ value: 0 });
  expect(parseAutoSize("4 MB", 0, 2 ** 30)).toEqual({ value: 4_000_000 });
  expect(parseAutoRate(" Auto ")).toEqual({ value: 0 });
  expect(parseAutoRate("5 Gb/s")).toEqual({ value: 625_000_000 });
  expect(parseAutoWord("auto", /^[a-z]+$/, "No.")).toEqual({ value: null });
  expect(parseAutoWord("bbr", /^[a-z]+$/, "No.")).toEqual({ value: "bbr" });
  expect(parseAutoWord("B B", /^[a-z]+$/, "No.")).toEqual({ error: "No." });
});
