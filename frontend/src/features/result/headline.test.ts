import { describe, expect, it } from "vitest";
import { headlineParts, withoutFigure } from "./headline";

describe("a headline", () => {
  it("is taken apart around its figure, so that the figure can be large and in another unit", () => {
    expect(headlineParts("1.39 GB/s durable with one writer and 256 KiB blocks")).toEqual({
      doubt: null,
      rest: "durable with one writer and 256 KiB blocks",
    });
  });

  it("keeps the doubt that stands before the figure", () => {
    expect(
      headlineParts("Served by the cache: 5.10 GB/s with one reader and 1 MiB blocks"),
    ).toEqual({
      doubt: "Served by the cache",
      rest: "with one reader and 1 MiB blocks",
    });
  });

  it("is a sentence without its figure, and keeps its doubt", () => {
    expect(withoutFigure("1.39 GB/s durable with one writer")).toBe("Durable with one writer");
    expect(withoutFigure("Served by the cache: 5.10 GB/s with one reader")).toBe(
      "Served by the cache: with one reader",
    );
  });

  it("stays whole when it holds no figure at its head", () => {
    expect(headlineParts("Nothing was measured")).toBeNull();
  });
});
