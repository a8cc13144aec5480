import { expect, it } from "vitest";
import type { VerdictRow } from "@/api/shapes";
import { drawnLimits } from "./limits";

const row = (criterion: string, limit: number | null) =>
  ({ criterion, limit, evidence: { trial_id: 1 } }) as VerdictRow;

it("draws limits of throughput and of operation times, and no others", () => {
  const rows = [
    row("durable.mean >= 1250 MB/s", 1.25e9),
    row("write.p99 < 20 ms", 2e7),
    row("read.p99 < 30 ms", 3e7),
    row("stall.max <= 0.5 s", 5e8),
    row("due.p99 < 20 ms", 2e7),
    row("buffer_at(10 Gb/s) <= 512 MB", 5.12e8),
    row("write.iops.mean(depth=16) >= 1 kIOPS", 1e3),
    row("iops.min >= 1 kIOPS", 1e3),
    row("steady", null),
  ];
  expect(drawnLimits(rows, () => true)).toEqual({
    throughput: [{ value: 1.25e9, label: "durable.mean ≥ 1250 MB/s" }],
    operationTime: [
      { value: 2e7, label: "write.p99 < 20 ms" },
      { value: 3e7, label: "read.p99 < 30 ms" },
      { value: 5e8, label: "stall.max ≤ 0.5 s" },
    ],
  });
});

it("draws the limit of a named cell only in that cell", () => {
  const rows = [row("app.mean(block=64 KiB) > 1 GB/s", 1e9)];
  const found = (trial: number) =>
    drawnLimits(rows, ({ trial_id }) => trial_id === trial).throughput.length;
  expect([found(1), found(2)]).toEqual([1, 0]);
});
