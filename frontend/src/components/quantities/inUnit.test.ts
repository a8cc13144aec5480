import { describe, expect, it } from "vitest";
import { inUnit } from "./inUnit";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("a sentence about rates", () => {
  const sentence = "The transfer reaches 545 MB/s, 98 % of its slowest part (1.39 GB/s).";
  const figures = { transfer_bytes_per_s: 545.2e6, part_bytes_per_s: 1.3871e9, efficiency: 0.98 };

  it("has them in the reader's unit", () => {
    expect(plain(inUnit(sentence, figures, "Gb/s"))).toBe(
      "The transfer reaches 4.36 Gb/s, 98 % of its slowest part (11.1 Gb/s).",
    );
    expect(plain(inUnit(sentence, figures, "MB/s"))).toBe(sentence);
  });

  it("keeps rates that are none of its figures, and parts of other numbers", () => {
    const figure = { rate_bytes_per_s: 45e6 };
    expect(inUnit("545 MB/s against 1.45 MB/s", figure, "Gb/s")).toBe("545 MB/s against 1.45 MB/s");
    expect(inUnit(sentence, undefined, "Gb/s")).toBe(sentence);
  });
});
