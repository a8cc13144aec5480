import { describe, expect, it } from "vitest";
import { heldLevels } from "@/features/kinds/testLevels";
import { answerParts, formatRecordRate, headlineWords, withoutFigure } from "./headline";
import type { RecordsHeadline } from "./shapes";
import { records } from "./testRecords";

const headline = records.headline as RecordsHeadline;
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

describe("the headline of a records test", () => {
  it("has both rates, the route, the limit and what was lost", () => {
    expect(plain(headlineWords(headline, "MB/s"))).toBe(
      "Served by the page cache: 266 MB/s payload, 64 900 records/s of 4 KiB from 2 senders to a file; limited by the sink's disk; no records lost",
    );
    const memory = {
      ...headline,
      sink: "memory" as const,
      served_by: null,
      limit: null,
      senders: 1,
    };
    expect(plain(withoutFigure({ ...memory, lost: 1200 }, "MB/s"))).toBe(
      "Payload, 64 900 records/s of 4 KiB from 1 sender to memory; 1200 records lost",
    );
    expect(plain(withoutFigure({ ...memory, lost: null }, "MB/s"))).not.toContain("lost");
  });

  it("has the levels in place of a rate", () => {
    const levels = heldLevels([123e6, 1.9], [29.6e6, 4.1]);
    const fell = { ...headline, bytes_per_s: null, records_per_s: null, levels };
    expect(plain(headlineWords({ ...fell, senders: 3 }, "MB/s"))).toBe(
      "Served by the page cache: 123 MB/s for 1.90 s (234 MB), then 29.6 MB/s payload in 4 KiB records from 3 senders to a file; limited by the sink's disk; no records lost",
    );
    expect(answerParts(fell, "MB/s")).toBeNull();
  });

  it("leads with records on the result page", () => {
    const parts = answerParts(headline, "Gb/s");
    expect(parts?.quantity && plain(parts.quantity.value)).toBe("64 900");
    expect(plain(parts?.rest ?? "")).toContain("of 4 KiB (2.13 Gb/s payload) from 2 senders");
  });

  it("says why there is none", () => {
    const none = {
      ...headline,
      bytes_per_s: null,
      records_per_s: null,
      no_result: "wrong_records" as const,
    };
    expect(headlineWords(none, "MB/s")).toBe(
      "No result: records did not arrive and stay as they were sent.",
    );
    expect(answerParts(none, "MB/s")).toBeNull();
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
