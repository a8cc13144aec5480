import { expect, it } from "vitest";
import { beforeAndAfter, changesByRun, changeWords, type HistoryChange } from "./historyFigure";

const change = (values: Partial<HistoryChange>): HistoryChange => ({
  run_id: 7,
  at: "2026-11-21T01:00:00Z",
  places: ["web-1 /mnt/a"],
  name: "kernel",
  what: "Kernel",
  before: "6.12",
  after: "6.13",
  ...values,
});

it("numbers the runs that showed a change first, and keeps their changes together", () => {
  const found = changesByRun([
    change({}),
    change({ name: "array_firmware", what: "Array firmware" }),
    change({ run_id: 9 }),
  ]);
  expect(found.map(({ number, run_id, changes }) => [number, run_id, changes.length])).toEqual([
    [1, 7, 2],
    [2, 9, 1],
  ]);
  expect(found[0] && changeWords(found[0])).toBe("Kernel, array firmware");
});

it("shows of mount options only those that differ", () => {
  const options = {
    name: "fs_options",
    before: "rw,relatime,discard",
    after: "rw,noatime,discard",
  };
  expect(beforeAndAfter(change(options), "matrix")).toEqual(["relatime", "noatime"]);
  const added = { name: "fs_options", before: "rw", after: "rw,noatime,nobarrier" };
  expect(beforeAndAfter(change(added), "matrix")).toEqual(["–", "noatime, nobarrier"]);
});

it("words sizes and parameters as a result does", () => {
  const memory = { name: "mem_total_bytes", before: 64e9, after: 128e9 };
  expect(beforeAndAfter(change(memory), "matrix")).toEqual(["64.0\u00a0GB", "128\u00a0GB"]);
  const several = { name: "kernel", before: ["6.12", "6.12"], after: ["6.12", "6.13"] };
  expect(beforeAndAfter(change(several), "matrix")).toEqual(["6.12, 6.12", "6.12, 6.13"]);
});
