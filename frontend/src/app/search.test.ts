import { describe, expect, it } from "vitest";
import {
  compareSearch,
  launchSearch,
  loginSearch,
  parseSearch,
  resultSearch,
  stringifySearch,
} from "./search";

describe("search parameters", () => {
  it("survive a round trip through the address bar", () => {
    const search = { runs: [3, 1], rate: "durable", cell: "262144x1" };
    const text = stringifySearch(search);
    expect(text).toBe("?runs=3,1&rate=durable&cell=262144x1");
    expect(compareSearch(parseSearch(text))).toMatchObject(search);
  });
  it("carry the launch form, line breaks and signs included", () => {
    const texts = {
      name: "vault, after & before = 100%",
      file_size: "min(1 GB, free / 10)",
      criteria: "durable.mean >= 1 GB/s\nlatency.p99(block=64 KiB) <= 5 ms",
      blok: "?#+ %2C",
    };
    expect(launchSearch(parseSearch(stringifySearch(texts)))).toEqual(texts);
  });
  it("leave the parameters of a test kind to it", () => {
    expect(resultSearch({ cell: "262144x1", unit: "Gb/s" })).toEqual({
      cell: "262144x1",
      unit: "Gb/s",
    });
  });
  it("drop invalid values", () => {
    expect(compareSearch({ runs: "2,x,-1,2,7" }).runs).toEqual([2, 7]);
    expect(resultSearch({ unit: "furlongs" })).toEqual({});
  });
  it("of the launch form stay as they are, for the page to say what is wrong", () => {
    const raw = { profile: "0", targets: "1,x", blok: "4 KiB" };
    expect(launchSearch(raw)).toEqual(raw);
  });
  it("never lead from the login to another site", () => {
    expect(loginSearch({ next: "/runs/4?rate=durable" }).next).toBe("/runs/4?rate=durable");
    expect(loginSearch({ next: "//evil.example" }).next).toBeUndefined();
    expect(loginSearch({ next: "/\\evil.example" }).next).toBeUndefined();
    expect(loginSearch({ next: "https://evil.example" }).next).toBeUndefined();
  });
});
