import { expect, it } from "vitest";
import { adjustmentWords, datedWords, fireTimeWords, graceOptions, weeklyWords } from "./schedules";

it("shows a fire time in its zone, whatever the browser's zone is", () => {
  expect(fireTimeWords({ local: "2026-11-30T02:00:00+01:00" })).toBe(
    "Mon, 30 Nov 2026, 02:00 UTC+01:00",
  );
  expect(fireTimeWords({ local: "2026-11-30T21:30:00-05:00" })).toBe(
    "Mon, 30 Nov 2026, 21:30 UTC-05:00",
  );
});

it("says why a fire time is not the one of the expression", () => {
  const cron_time = "2026-03-29T02:30";
  expect(adjustmentWords({ adjustment: null, cron_time })).toBeNull();
  expect(adjustmentWords({ adjustment: "gap", cron_time })).toBe(
    "clocks are set forward over 02:30",
  );
  expect(adjustmentWords({ adjustment: "repeated", cron_time })).toContain("first of two");
});

it("describes weekly blackouts", () => {
  expect(weeklyWords({ days: ["fri"], start: "22:00", end: "06:00" })).toBe(
    "Fri 22:00–06:00 (next day)",
  );
  expect(
    weeklyWords({ days: ["mon", "wed", "tue", "thu", "fri"], start: "08:00", end: "18:00" }),
  ).toBe("Mon–Fri 08:00–18:00");
  expect(weeklyWords({ days: ["sun", "sat"], start: "00:00", end: "00:00" })).toBe(
    "Sat, Sun, all day",
  );
  expect(weeklyWords({ days: ["mon"], start: "20:00", end: "00:00" })).toBe("Mon 20:00–24:00");
});

it("describes dated blackouts", () => {
  expect(datedWords({ start: "2026-12-24T00:00", end: "2027-01-02T06:00" })).toBe(
    "Thu, 24 Dec 2026, 00:00 – Sat, 2 Jan 2027, 06:00",
  );
});

it("offers a grace that is not in the list", () => {
  expect(graceOptions(1800).map(({ label }) => label)).toEqual([
    "None",
    "15 min",
    "1800 s",
    "1 h",
    "6 h",
    "24 h",
  ]);
});
