import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { splitPart, type Words, wordsText } from "./words";

const QUANTITIES = join(import.meta.dirname, "../../../../backend/tests/golden/quantities.json");

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

describe("words of the server", () => {
  it("have their quantities in the reader's unit", () => {
    const words: Words = [
      { bytes_per_s: 350e6 },
      " for ",
      { duration_ns: 12.3e9 },
      " (",
      { bytes: 4.31e9 },
      "), then ",
      { bytes_per_s: 41e6 },
    ];
    expect(plain(wordsText(words, "MB/s"))).toBe("350 MB/s for 12 s (4.31 GB), then 41.0 MB/s");
    expect(plain(wordsText(words, "Gb/s"))).toContain("then 328 Mb/s");
  });

  it("read as in the texts of the server", () => {
    const rows: [string, number, string][] = JSON.parse(readFileSync(QUANTITIES, "utf8"));
    const texts = rows.map(([dimension, value]) =>
      wordsText([{ [dimension]: value } as Words[number]], "MB/s").replaceAll("\u00a0", " "),
    );
    expect(texts).toEqual(rows.map(([, , text]) => text));
  });

  it("repeat a rate per hour only for readers with another unit", () => {
    const words: Words = [{ bytes_per_s: 545e6 }, " durable", { tb_per_hour: 1.962 }];
    expect(plain(wordsText(words, "MB/s"))).toBe("545 MB/s durable (1.96 TB/h)");
    expect(plain(wordsText(words, "TB/h"))).toBe("1.96 TB/h durable");
  });

  it("call a run what the page calls it", () => {
    const words: Words = [{ run_id: 42 }, " is faster"];
    expect(wordsText(words, "MB/s", (id) => `B${id}`)).toBe("B42 is faster");
  });

  it("have a figure that can be printed apart from its unit", () => {
    expect(splitPart({ bytes_per_s: 5.1e9 }, "Gb/s")).toEqual({ value: "40.8", unit: "Gb/s" });
    expect(splitPart({ iops: 900 }, "MB/s")).toEqual({ value: "900", unit: "IOPS" });
    expect(splitPart({ records_per_s: 900 }, "MB/s").unit).toBe("records/s");
  });
});
