import { expect, it } from "vitest";
import type { Run } from "@/api/shapes";
import { conditionRows, essenceOf, sharedRows } from "./conditionRows";

type Reading = NonNullable<Run["participants"][number]["conditions"]["start"]>;

const READING: Reading = {
  governors: [
    { name: "performance", cpus: 6 },
    { name: "powersave", cpus: 2 },
  ],
  vm: {
    dirty_ratio: 20,
    dirty_bytes: 0,
    dirty_background_ratio: 10,
    dirty_background_bytes: 0,
    dirty_expire_centisecs: 3000,
    dirty_writeback_centisecs: 500,
  },
  temperatures: [
    { source: "device", device: "sda", sensor: "drivetemp", millidegrees_c: 34_000 },
    { source: "thermal_zone", device: null, sensor: "acpitz", millidegrees_c: -500 },
  ],
  health: [{ device: "sda", state: "running", io_errors: 3, members_missing: null }],
  unreadable: [],
};

const rowsOf = (start: Reading | null, end: Reading | null) =>
  new Map(conditionRows({ start, end }).map((row) => [row.name, row]));

it("names governors that differ between CPUs, and the limit that applies", () => {
  const rows = rowsOf(READING, READING);
  expect(rows.get("CPU governor")?.start).toBe("performance (6 CPUs), powersave (2 CPUs)");
  expect(rows.get("vm.dirty_ratio")?.start).toBe("20 %");
  expect(rows.get("vm.dirty_bytes")?.start).toBe("0 (vm.*_ratio applies)");
  expect(rows.get("vm.dirty_expire_centisecs")?.start).toBe("30\u00a0s");
  expect(rows.get("Temperature of thermal zone (acpitz)")?.start).toBe("-0.5 °C");
  expect([...rows.values()].some(({ changed }) => changed)).toBe(false);
});

it("shows a long writeback setting in hours", () => {
  const day = { ...READING, vm: { ...READING.vm, dirty_expire_centisecs: 9_000_000 } };
  const found = rowsOf(day, day).get("vm.dirty_expire_centisecs");
  expect(found?.start).toBe("1\u00a0d 1\u00a0h");
});

it("marks a changed setting and a changed health, and no temperature", () => {
  const end: Reading = {
    ...READING,
    vm: { ...READING.vm, dirty_writeback_centisecs: 100 },
    temperatures: [
      { source: "device", device: "sda", sensor: "drivetemp", millidegrees_c: 51_000 },
    ],
    health: [{ device: "sda", state: "running", io_errors: 4, members_missing: null }],
  };
  const changed = [...rowsOf(READING, end).values()].filter((row) => row.changed);
  expect(changed.map(({ name }) => name)).toEqual([
    "vm.dirty_writeback_centisecs",
    "Health of sda",
  ]);
  expect(rowsOf(READING, end).get("Temperature of sda (drivetemp)")?.end).toBe("51.0 °C");
});

it("does not call a value changed that could be read only once", () => {
  const end = { ...READING, vm: { ...READING.vm, dirty_writeback_centisecs: null } };
  expect(rowsOf(READING, end).get("vm.dirty_writeback_centisecs")?.changed).toBe(false);
});

it("claims no stability of a host whose end was not recorded", () => {
  const rows = conditionRows({ start: READING, end: null });
  expect(essenceOf(rows)).toMatch(/^not recorded at the end/);
  expect(essenceOf(conditionRows({ start: READING, end: READING }))).not.toContain("not recorded");
});

it("says why a value is not readable, and never shows it as 0", () => {
  const start: Reading = {
    ...READING,
    governors: [],
    vm: { ...READING.vm, dirty_ratio: null },
    health: [],
    unreadable: [
      { what: "governor", reason: "no CPU has one" },
      { what: "vm.dirty_ratio", reason: "Permission denied" },
      { what: "health of sda", reason: "SMART data needs root" },
    ],
  };
  const rows = rowsOf(start, null);
  expect(rows.get("CPU governor")?.start).toBe("not readable: no CPU has one");
  expect(rows.get("vm.dirty_ratio")?.start).toBe("not readable: Permission denied");
  expect(rows.get("Health of sda")?.start).toBe("not readable: SMART data needs root");
  expect(rows.get("Health of sda")?.end).toBe("not recorded");
});

it("shows once what hosts share, and apart what differs", () => {
  const other = { ...READING, governors: [{ name: "powersave", cpus: 8 }] };
  const rows = sharedRows([
    { id: 1, conditions: { start: READING, end: READING } },
    { id: 2, conditions: { start: READING, end: READING } },
    { id: 3, conditions: { start: other, end: other } },
  ]);
  const idsOf = (name: string) => rows.filter((row) => row.name === name).map(({ ids }) => ids);
  expect(idsOf("CPU governor")).toEqual([[1, 2], [3]]);
  expect(idsOf("vm.dirty_ratio")).toEqual([[1, 2, 3]]);
});

it("says in a line what changed and what could not be read", () => {
  const unread = {
    ...READING,
    governors: [],
    health: [],
    unreadable: [
      { what: "governor", reason: "no CPU has one" },
      { what: "health of sda", reason: "SMART data needs root" },
    ],
  };
  const lower = { ...unread, vm: { ...unread.vm, dirty_ratio: 10 } };
  expect(essenceOf(conditionRows({ start: READING, end: READING }))).toBe("no changes");
  expect(essenceOf(conditionRows({ start: unread, end: unread }))).toBe(
    "CPU governor not readable, 1 more",
  );
  expect(essenceOf(conditionRows({ start: unread, end: lower }))).toBe(
    "vm.dirty_ratio changed; CPU governor not readable, 1 more",
  );
});

it("keeps what could be read at one end of the run", () => {
  const unread = {
    ...READING,
    governors: [],
    unreadable: [{ what: "governor", reason: "no CPU has one" }],
  };
  expect(rowsOf(READING, unread).get("CPU governor")?.unread).toBeNull();
  expect(rowsOf(unread, unread).get("CPU governor")?.unread).toBe("no CPU has one");
  expect(rowsOf(unread, null).get("CPU governor")?.unread).toBe("no CPU has one");
});
