import { describe, expect, it } from "vitest";
import { totalOf } from "./combined";
import type { Course } from "./series";

const course = (dt: number, rates: (number | null)[], from = 0): Course => ({
  count: rates.length,
  columns: {
    t_ns: rates.map((_, index) => (from + (index + 1) * dt) * 1e9),
    dt_ns: rates.map(() => dt * 1e9),
    rate_mean_bytes_per_s: rates,
  },
});
const rates = (total: Course) => total.columns.rate_mean_bytes_per_s;

describe("the total of several courses", () => {
  it("adds their rates at the same time", () => {
    const total = totalOf([course(1, [10, 20, 30]), course(1, [1, 2, 3])]);
    expect(rates(total)).toEqual([11, 22, 33]);
    expect(total.columns.t_ns).toEqual([1e9, 2e9, 3e9]);
  });

  it("counts an interval that overlaps two by its part in each", () => {
    const total = totalOf([course(1, [10, 10, 10, 10]), course(1, [8, 0, 4], 0.25)]);
    expect(rates(total)).toEqual([16, 12, 13, 11]);
  });

  it("adds nothing after the end of a course, and nothing that is unknown", () => {
    expect(rates(totalOf([course(1, [5, 5, 5]), course(1, [7, null])]))).toEqual([12, 5, 5]);
  });

  it("keeps what a coarser course moved", () => {
    expect(rates(totalOf([course(1, [0, 0, 0, 0]), course(2, [6, 2])]))).toEqual([6, 6, 2, 2]);
  });

  it("is empty without a course", () => {
    expect(totalOf([])).toEqual({
      count: 0,
      columns: { t_ns: [], dt_ns: [], rate_mean_bytes_per_s: [] },
    });
  });
});
