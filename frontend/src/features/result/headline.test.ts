import { describe, expect, it } from "vitest";
import { headlineParts } from "./headline";

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

  it("stays whole when it holds no figure at its head", () => {
    expect(headlineParts("Nothing was measured")).toBeNull();
  });
});
