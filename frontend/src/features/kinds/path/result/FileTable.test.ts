import { expect, test } from "vitest";
import { path, trial } from "@/features/kinds/path/testPath";
import type { EndFigures } from "@/features/transfers/TransferFacts";
import { fileRows, hasFiles } from "./FileTable";

const calls = (median: number, p99: number | null) => ({
  count: 1000,
  mean_ns: median,
  median_ns: median,
  p99_ns: p99,
  max_ns: 9e6,
});

const endWith = (share: number): EndFigures => ({
  ...(trial(1, 1, 1e8).sender as EndFigures),
  files: { open: calls(4e4, 2e5), close: calls(2e3, null), own_share: share, sync_share: 0.1 },
});

const [disk] = path.legs.filter(({ leg }) => leg === "disk");
if (!disk) throw new Error("the path has no leg from disk to disk");

test("a trial has a row for each kind of call at both ends", () => {
  const moved = { files: 1000, files_per_s: 81.4, sender: endWith(0.05), receiver: endWith(0.62) };
  const rows = fileRows([{ ...disk, trials: [trial(4, 2, 1e8, moved)] }]);
  expect(rows.map(({ call, share }) => [call, share])).toEqual([
    ["open at the source", "5.00\u00a0%"],
    ["close at the source", "5.00\u00a0%"],
    ["create at the sink", "62.0\u00a0%"],
    ["close at the sink", "62.0\u00a0%"],
  ]);
  expect(rows[0]).toMatchObject({
    trial: "Disk to disk, repeat 2",
    files: 1000,
    perSecond: 81.4,
    medianNs: 4e4,
    p99Ns: 2e5,
    maxNs: 9e6,
  });
  expect(rows[1]?.p99Ns).toBeNull();
});

test("a path without small files has no rows", () => {
  expect(hasFiles(path.legs)).toBe(false);
  expect(fileRows(path.legs)).toEqual([]);
});
