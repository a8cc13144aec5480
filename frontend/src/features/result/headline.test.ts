import { describe, expect, it } from "vitest";
import { levels } from "@/features/matrix/testMatrix";
import { headlineOfLevels, headlineParts, withoutFigure } from "./headline";

describe("a headline", () => {
  it("is taken apart around its figure, so that the figure can be large and in another unit", () => {
    expect(headlineParts("1.39 GB/s durable with one writer and 256 KiB blocks")).toEqual({
      doubt: null,
      rest: "durable with one writer and 256 KiB blocks",
    });
  });

  it("keeps the doubt that stands before the figure", () => {
    expect(
      headlineParts("Served by the page cache: 5.10 GB/s with one reader and 1 MiB blocks"),
    ).toEqual({
      doubt: "Served by the page cache",
      rest: "with one reader and 1 MiB blocks",
    });
  });

  it("is a sentence without its figure, and keeps its doubt", () => {
    expect(withoutFigure("1.39 GB/s durable with one writer")).toBe("Durable with one writer");
    expect(withoutFigure("Served by the page cache: 5.10 GB/s with one reader")).toBe(
      "Served by the page cache: with one reader",
    );
  });

  it("stays whole when it holds no figure at its head", () => {
    expect(headlineParts("Nothing was measured")).toBeNull();
  });

  it("keeps both levels of a cliff, in the reader's unit", () => {
    const rest = "durable with one writer and 1 MiB blocks";
    const said = (headline: string) =>
      headlineOfLevels(headline, levels, "Gb/s").replaceAll("\u00a0", " ");
    expect(said(`350 MB/s for 12.3 s, then 41.0 MB/s ${rest}`)).toBe(
      `2.80 Gb/s for 12 s, then 328 Mb/s ${rest}`,
    );
    expect(said(`Served by the page cache: 350 MB/s for 12.3 s, then 41.0 MB/s ${rest}`)).toBe(
      `Served by the page cache: 2.80 Gb/s for 12 s, then 328 Mb/s ${rest}`,
    );
  });
});
