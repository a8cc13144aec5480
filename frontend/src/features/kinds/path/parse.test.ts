import { expect, it } from "vitest";
import { EVERY_LEG, legsText, parseLegs, understoodLegs } from "./path";

it("reads a list of legs by their names, and back", () => {
  expect(parseLegs("Read, memory; disk to memory")).toEqual({
    value: ["read", "memory", "disk_to_memory"],
  });
  expect(parseLegs(legsText(EVERY_LEG))).toEqual({ value: EVERY_LEG });
  expect(understoodLegs("write")).toBe("Write: memory → sink disk");
});

it("refuses legs that do not exist, twice the same, and none", () => {
  expect(parseLegs("tape")).toEqual({
    error: "tape is not one of read, memory, write, disk, disk to memory, memory to disk.",
  });
  expect(parseLegs("disk, disk")).toEqual({ error: "disk appears more than once." });
  expect(parseLegs(" ")).toHaveProperty("error");
  expect(understoodLegs("tape")).toBeNull();
});
