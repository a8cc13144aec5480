import { describe, expect, it } from "vitest";
import {
  count,
  figure,
  formatBlock,
  formatBytes,
  formatDuration,
  formatGuess,
  formatLatency,
  formatRate,
  formatRecordRate,
  formatRelative,
  formatShare,
  parseBytes,
  rateFigure,
} from "./formats";

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

describe("a figure", () => {
  it("has three significant digits and no exponent", () => {
    expect([1387, 999.6, 99.96, 1.4, 0.042171, 0, 12345678].map(figure)).toEqual([
      "1390",
      "1000",
      "100",
      "1.40",
      "0.0422",
      "0",
      "12300000",
    ]);
  });
  it("keeps its sign and handles missing numbers", () => {
    expect(figure(-2.5)).toBe("\u22122.50");
    expect(figure(Number.NaN)).toBe("–");
  });
  it("groups thousands from five digits on", () => {
    expect([1234, 12345, 1234567].map((n) => plain(count(n)))).toEqual([
      "1234",
      "12 345",
      "1 234 567",
    ]);
  });
});

it("gives records per second in three digits", () => {
  expect([12.3456, 937_779, 999_999, 21_512_000].map(formatRecordRate).map(plain)).toEqual([
    "12.3 records/s",
    "938 000 records/s",
    "1.00 million records/s",
    "21.5 million records/s",
  ]);
});

describe("a share", () => {
  it("is a percentage without digits that mean nothing", () => {
    expect([0, 7.11e-9, 0.0002, 0.0071, 0.982, 1].map(formatShare).map(plain)).toEqual([
      "0 %",
      "under 0.01 %",
      "0.02 %",
      "0.71 %",
      "98.2 %",
      "100 %",
    ]);
  });
});

describe("a rate", () => {
  it("is shown in the fitting unit of the chosen family", () => {
    expect(plain(formatRate(1_387_000_000, "MB/s"))).toBe("1.39 GB/s");
    expect(plain(formatRate(104_857_600, "MiB/s"))).toBe("100 MiB/s");
    expect(plain(formatRate(1.25e9, "Gb/s"))).toBe("10.0 Gb/s");
    expect(plain(formatRate(1e9, "TB/h"))).toBe("3.60 TB/h");
  });
  it("moves to the next unit when rounding reaches it", () => {
    expect(plain(formatRate(999_900_000, "MB/s"))).toBe("1.00 GB/s");
  });
  it("stays in one unit if a matrix requests it", () => {
    expect(rateFigure(1_387_000_000, "MB/s")).toBe("1390");
  });
});

describe("a size", () => {
  it("is decimal for files and binary for blocks", () => {
    expect([7, 7e3, 7e6, 7e9, 7e12, 7e15].map((b) => plain(formatBytes(b)))).toEqual([
      "7 B",
      "7.00 kB",
      "7.00 MB",
      "7.00 GB",
      "7.00 TB",
      "7.00 PB",
    ]);
    expect(
      [512, 4096, 262_144, 1_572_864, 4_194_304, 513, 800_000].map((b) => plain(formatBlock(b))),
    ).toEqual(["512 B", "4 KiB", "256 KiB", "1.5 MiB", "4 MiB", "513 B", "800 kB"]);
  });
  it("is parsed from common notations", () => {
    expect(["64k", "256 KiB", "4096", "20 MB", "1.5MiB"].map(parseBytes)).toEqual([
      65_536, 262_144, 4096, 20_000_000, 1_572_864,
    ]);
    expect(["1B", "1 kB", "1 MB", "1 GB", "1 TB"].map(parseBytes)).toEqual([
      1, 1e3, 1e6, 1e9, 1e12,
    ]);
    expect(["1 KiB", "1 MiB", "1 GiB", "1 TiB", "1k", "1M"].map(parseBytes)).toEqual([
      1024,
      1024 ** 2,
      1024 ** 3,
      1024 ** 4,
      1024,
      1024 ** 2,
    ]);
    expect(["", "x", "12 parsecs", "1.3", "-4"].map(parseBytes)).toEqual(Array(5).fill(null));
  });
});

describe("a time", () => {
  it("is printed in at most two parts", () => {
    expect([0, 0.4, 75, 3600, 93_600].map((s) => plain(formatDuration(s)))).toEqual([
      "0 s",
      "400 ms",
      "1 min 15 s",
      "1 h",
      "1 d 2 h",
    ]);
  });
  it("has no fractions of a second if it is an estimate", () => {
    expect([0, 0.702, 4.2, 75].map((s) => plain(formatGuess(s)))).toEqual([
      "0 s",
      "1 s",
      "5 s",
      "1 min 15 s",
    ]);
  });
  it("is relative to now, both ways", () => {
    const now = new Date("2026-01-01T12:00:00Z");
    const at = (iso: string) => plain(formatRelative(new Date(iso), now));
    expect(at("2026-01-01T11:59:55Z")).toBe("just now");
    expect(at("2026-01-01T11:57:00Z")).toBe("3 min ago");
    expect(at("2026-01-01T14:00:00Z")).toBe("in 2 h");
    expect(at("2026-04-01T11:59:59Z")).toBe("in 90 d");
  });
  it("is shown to three digits when it is a latency", () => {
    expect(plain(formatLatency(1_234_567))).toBe("1.23 ms");
  });
});
