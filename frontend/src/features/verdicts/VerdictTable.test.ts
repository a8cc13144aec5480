import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { VerdictRow } from "@/api/shapes";
import {
  doubtText,
  judgedCellText,
  judgedParticipantText,
  limitText,
  marginText,
  measuredText,
} from "./VerdictTable";

const row = (criterion: string, limit: number | null, measured: number | null) =>
  ({
    criterion,
    limit,
    measured,
    dimension: criterion.startsWith("write") ? "duration" : "rate",
  }) as VerdictRow;

test("a measured value has the unit of its limit", () => {
  expect(measuredText(row("durable.mean >= 1250 MB/s", 1.25e9, 1.14e9))).toBe("1140\u00a0MB/s");
  expect(measuredText(row("durable.mean >= 10 Gb/s", 1.25e9, 1.14e9))).toBe("9.12\u00a0Gb/s");
  expect(measuredText(row("write.p99 < 20 ms", 2e7, 2.34e6))).toBe("2.34\u00a0ms");
});

test("a value that misses its limit never looks like it", () => {
  expect(measuredText(row("durable.mean >= 1250 MB/s", 1.25e9, 1.24996e9))).toBe(
    "1249.96\u00a0MB/s",
  );
  expect(measuredText(row("durable.mean >= 1250 MB/s", 1.25e9, 1.25e9))).toBe("1250\u00a0MB/s");
});

test("a value far from its limit is readable", () => {
  expect(measuredText(row("write.p99 < 1 h", 3.6e12, 1.1e8))).toBe("110\u00a0ms");
  expect(measuredText(row("durable.mean >= 1 kB/s", 1e3, 1.86e8))).toBe("186\u00a0MB/s");
  expect([marginText(186_000), marginText(-46)]).toEqual([
    "over 1000\u00a0× the limit",
    "47.0\u00a0× the limit",
  ]);
});

test("a share without digits that mean nothing", () => {
  const share = (limit: number, measured: number) =>
    measuredText({
      ...row(`path.retransmitted < ${100 * limit} %`, limit, measured),
      dimension: "share",
    });
  expect(share(0.01, 7.11e-9)).toBe("under 0.01\u00a0%");
  expect(share(0.01, 0.0312)).toBe("3.12\u00a0%");
  expect(share(0.00001, 7.11e-8)).toBe("0.00000711\u00a0%");
});

test("what was not measured is a dash, and a count has no unit", () => {
  expect(measuredText(row("durable.mean >= 1250 MB/s", 1.25e9, null))).toBe("–");
  const count = { ...row("verify.errors <= 0", 0, 3), dimension: "count" } as VerdictRow;
  expect(measuredText(count)).toBe("3");
});

test("a value of the leading cell says which one it is, and that the others were not judged", () => {
  const one = { evidence: { cell: "bursts of 12" }, of_cells: 6 } as VerdictRow;
  expect(judgedCellText(one)).toBe(
    "Judged in the leading cell of 6: bursts of 12. The other 5 were not judged.",
  );
  expect(judgedCellText({ ...one, of_cells: 2 })).toContain("The other one was not judged.");
  expect(judgedCellText({ ...one, of_cells: 1 })).toBeNull();
  expect(judgedCellText({ ...one, of_cells: null })).toBeNull();
});

test("the limit is shown as written, and the margin with its sign", () => {
  expect(limitText("durable.mean(block=1 MiB, threads=2) > 2 GB/s")).toBe("2 GB/s");
  expect(limitText("steady")).toBe("–");
  expect([marginText(0.112), marginText(-0.088), marginText(null)]).toEqual([
    "+11.2\u00a0%",
    "−8.80\u00a0%",
    "–",
  ]);
});

test("the worst of several participants is named", () => {
  const evidence = { trial_id: 1, parameters: {}, cell: null, participant: "web-2 /mnt/a" };
  const one = { ...row("write.p99 < 20 ms", 2e7, 3e9), evidence };
  expect(judgedParticipantText(one)).toBe("Judged at the worst participant: web-2 /mnt/a.");
  expect(
    judgedParticipantText({ ...one, evidence: { ...evidence, participant: null } }),
  ).toBeNull();
});

test("a value of zero has the unit of its limit, also if that is zero", () => {
  const size = { ...row("backlog.end <= 0 B", 0, 0), dimension: "size" } as VerdictRow;
  expect(measuredText(size)).toBe("0\u00a0B");
});

test("a doubt is a reason of an inconclusive outcome, and a note of any other", () => {
  expect(doubtText("inconclusive", "Others wrote 4 GB.")).toBe("Others wrote 4 GB.");
  for (const judged of ["pass", "fail"] as const) {
    expect(doubtText(judged, "Others wrote 4 GB.")).toBe(
      "Does not change the outcome: Others wrote 4 GB.",
    );
  }
});

test("a margin reads as in the texts of the server", () => {
  const golden = join(import.meta.dirname, "../../../../backend/tests/golden/margins.json");
  const rows: [number | null, string][] = JSON.parse(readFileSync(golden, "utf8"));
  expect(rows.map(([margin]) => marginText(margin).replaceAll("\u00a0", " "))).toEqual(
    rows.map(([, text]) => text),
  );
});
