import { expect, it } from "vitest";
import { heldLevels } from "@/features/kinds/testLevels";
import { cellWords, headlineParts, headlineWords, trialWords } from "./headline";
import type { Shaped, SustainedCell, SustainedHeadline } from "./shapes";

const LEVELS = { held: heldLevels([2.1e9, 29], [9e8, 50], [3.4e8, 100]), durable: true };

const HEADLINE: SustainedHeadline = {
  kind: "sustained",
  operation: "write",
  access: "sequential",
  participants: 1,
  figure: {
    rate: "durable",
    bytes_per_s: 1.39e9,
    levels: null,
    bytes: 1e12,
    block: 800_000,
    offered_bytes_per_s: null,
    served_by: "device",
    no_cliff_within_bytes: 1e12,
    shape: null,
    carried: { label: "10 Gb/s", bytes_per_s: 1.25e9, buffer_bytes: 61e6 },
    queue_depth: 1,
    mode: { cache: null, priority: null, io_priority: null },
  },
  sweet_spot: null,
  no_result: null,
};

const plain = (text: string) => text.replaceAll("\u00a0", " ");

it("names every level, and no mean", () => {
  const figure = { ...HEADLINE.figure, bytes_per_s: null, levels: LEVELS } as never;
  const words = plain(headlineWords({ ...HEADLINE, figure }, "MB/s"));
  expect(words).toMatch(
    /^2\.10 GB\/s for 29 s \(60\.9 GB\), then 900 MB\/s for 50 s \(45\.0 GB\), then 340 MB\/s durable/,
  );
  expect(headlineParts({ ...HEADLINE, figure }, "MB/s")).toBeNull();
});

it("says up to which data a cliff is excluded, and what is carried", () => {
  const parts = headlineParts(HEADLINE, "MB/s");
  expect(plain(parts?.rest ?? "")).toBe(
    "durable over 1.00 TB, no cliff within 1.00 TB; carries 10 Gb/s with 61.0 MB of buffer",
  );
});

it("names a steady decline and a sawtooth", () => {
  const rest = (shape: Shaped) => {
    const figure = { ...HEADLINE.figure, shape } as never;
    return plain(headlineParts({ ...HEADLINE, figure }, "MB/s")?.rest ?? "");
  };
  expect(rest({ shape: "decline", change: -0.404, period_ns: null })).toContain(
    "no cliff within 1.00 TB, a steady decline by 40 % of the mean; carries",
  );
  expect(rest({ shape: "sawtooth", change: 0.31, period_ns: 20e9 })).toContain(
    ", a sawtooth of 31 % of the mean every 20 s; carries",
  );
});

it("says that data was read, which has no durable rate", () => {
  const figure = { ...HEADLINE.figure, rate: "application" } as never;
  const parts = headlineParts({ ...HEADLINE, operation: "read", figure }, "MB/s");
  expect(plain(parts?.rest ?? "")).toMatch(/^read over 1.00 TB, no cliff within 1.00 TB; carries /);
});

it("names the mode of the sweet spot, which may be another than that of the headline", () => {
  const sweet_spot = {
    cell: "800000@125000000~direct",
    block: 800_000,
    rate_bytes_per_s: 125e6,
    burst_blocks: null,
    bytes_per_s: 125e6,
    peak_ns: 16e6,
    limit_ns: 100e6,
    queue_depth: 1,
    mode: { cache: "direct", priority: null, io_priority: null },
  } as const;
  const said = (spot: object) =>
    plain(headlineWords({ ...HEADLINE, sweet_spot: { ...sweet_spot, ...spot } }, "MB/s"));
  expect(said({})).toContain("; sweet spot 125 MB/s (direct I/O) with a peak write time of 16");
  expect(said({ mode: undefined })).toContain("; sweet spot 125 MB/s with a peak");
  expect(said({ queue_depth: 8, iops: 1500 })).toContain(
    "; sweet spot 125 MB/s (1500 IOPS at queue depth 8, direct I/O) with a peak",
  );
});

it("says why there is no result", () => {
  const nothing = { ...HEADLINE, figure: null, no_result: "too_short" } as const;
  expect(headlineWords(nothing, "MB/s")).toBe("No result: the trial was too short.");
});

it("names a trial by its block and its pace", () => {
  const setting = { block: 800_000, rate_bytes_per_s: null, burst_blocks: 6 };
  expect(plain(trialWords(setting))).toBe("800 kB blocks in bursts of 6");
  expect(plain(trialWords({ ...setting, idle_ms: 5000 }))).toBe(
    "800 kB blocks in bursts of 6 after 5 s of rest",
  );
  expect(plain(trialWords({ ...setting, rate_bytes_per_s: 125e6 }))).toBe(
    "800 kB blocks at 125 MB/s",
  );
});

it("names reads with a pace of their own by that", () => {
  const cell = { block: 800_000, rate_bytes_per_s: 80e6, burst_blocks: null, paced_apart: true };
  const words = (own: object) => plain(cellWords({ ...cell, ...own } as SustainedCell));
  expect(words({ offered_bytes_per_s: 20e6 })).toBe("800 kB blocks at 20.0 MB/s");
  expect(words({ offered_bytes_per_s: null })).toBe("800 kB blocks");
  expect(words({ offered_bytes_per_s: 80e6, paced_apart: false })).toBe(
    "800 kB blocks at 80.0 MB/s",
  );
});

it("names ingest and playout apart", () => {
  const both: SustainedHeadline = {
    ...HEADLINE,
    operation: "both",
    reads: HEADLINE.figure && {
      ...HEADLINE.figure,
      rate: "application",
      bytes_per_s: 84e6,
      bytes: 84e9,
      served_by: "page_cache",
      no_cliff_within_bytes: null,
      carried: null,
    },
  };
  expect(headlineWords(both, "MB/s")).toMatch(
    /^1\.39\sGB\/s durable ingest over 1\.00\sTB.*; .*page cache: 84\.0\sMB\/s playout over 84\.0\sGB$/,
  );
  expect(headlineWords({ ...both, reads: null }, "MB/s")).toContain(
    "; playout without a reliable result",
  );
});

const RANDOM: SustainedHeadline = {
  ...HEADLINE,
  operation: "mixed",
  access: "random",
  read_percent: 70,
  figure: {
    rate: "application",
    bytes_per_s: 50.4e6,
    levels: null,
    bytes: 60e9,
    block: 4096,
    offered_bytes_per_s: null,
    served_by: "device",
    no_cliff_within_bytes: null,
    shape: null,
    carried: null,
    queue_depth: 32,
    mode: { cache: null, priority: null, io_priority: null },
    iops: 12_304,
    p99_ns: 3e6,
    working_set_bytes: 1e9,
    directions: [
      { operation: "read", bytes_per_s: 35.3e6, iops: 8613, p99_ns: 2.1e6 },
      { operation: "write", bytes_per_s: 15.1e6, iops: 3691, p99_ns: 4e6 },
    ],
  },
};

it("leads a random result with its operations per second, of a mixed one in both directions", () => {
  expect(plain(headlineWords(RANDOM, "MB/s")).replaceAll("\u202f", " ")).toBe(
    "12 300 IOPS (50.4 MB/s) random read and write (70 % reads) of 4 KiB blocks at queue depth 32 over a working set of 1.00 GB, reads 8610 IOPS with p99 2.10 ms, writes 3690 IOPS with p99 4.00 ms",
  );
  const parts = headlineParts(RANDOM, "MB/s");
  expect(parts?.iops).toBe(12_304);
  expect(plain(parts?.rest ?? "")).toMatch(/^\(50\.4 MB\/s\) random read and write/);
});

it("gives the p99 of a random read once", () => {
  const { figure } = RANDOM;
  const read = { ...RANDOM, operation: "read" as const, read_percent: null };
  const words = headlineWords({ ...read, figure: figure && { ...figure, directions: [] } }, "MB/s");
  expect(plain(words)).toContain("random read of 4 KiB blocks");
  expect(plain(words)).toContain("working set of 1.00 GB, p99 3.00 ms");
});
