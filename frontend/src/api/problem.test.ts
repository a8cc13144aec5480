import { expect, it } from "vitest";
import { Problem } from "./client";

const CASES: [detail: string | null, remedy: string | null, message: string][] = [
  ["Rack 1. left is busy.", null, "Rack 1. left is busy."],
  ["Rack 1. left is busy.", "Wait.", "Rack 1. left is busy. Wait."],
  ["port: must be at least 1", null, "port: must be at least 1"],
  ["It is busy", "Wait.", "It is busy. Wait."],
  ["Busy", "Wait.", "Wait."],
  ["Busy", null, "Busy"],
  [null, null, "Busy"],
];

it.each(CASES)("reads %s and %s as sentences", (detail, remedy, message) => {
  expect(new Problem({ title: "Busy", status: 409, detail, remedy }).message).toBe(message);
});
