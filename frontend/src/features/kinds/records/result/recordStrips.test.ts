import { describe, expect, it } from "vitest";
import type { Samples } from "@/api/shapes";
import { timeAxis } from "@/charts/figure";
import { records, trial } from "@/features/kinds/records/testRecords";
import type { EndSamples } from "@/features/transfers/courses";
import { recordFan } from "./RecordsResult";
import { recordStrips } from "./recordStrips";
import { endsOf, shownIn } from "./shown";

const COUNT = 12;
const SYNC = 1;
const column = (value: number) => Array<number>(COUNT).fill(value);

/** What an end recorded: two seconds of a final sync at the receiver's end. */
const recorded = (perSecond: number): EndSamples[] =>
  endsOf(records).map((end, index) => ({
    ...end,
    samples: {
      sample_ns: 1e9,
      count: COUNT,
      implausible: [],
      columns: {
        t_ns: column(0).map((_, at) => (at + 1) * 1e9),
        dt_ns: column(1e9),
        phase: column(0).map((_, at) => (end.role === "receiver" && at >= 10 ? SYNC : 0)),
        ops_per_s: column(perSecond * (index + 1)),
        rate_mean_bytes_per_s: column(perSecond * 4096),
        dev_write_bytes_per_s: column(90e6),
        mem_dirty_bytes: column(2e9),
        mem_writeback_bytes: column(1e8),
      },
    } as unknown as Samples,
    links: { columns: {} },
  }));

describe("the strips of a records trial", () => {
  const strips = recordStrips(recorded(20_000), "MB/s", timeAxis(COUNT * 1e9));

  it("have the records of the receiver and of each sender, in one unit", () => {
    const [first] = strips;
    expect(first?.unit).toBe("thousand records/s");
    expect(first?.lines.map(({ name }) => name)).toEqual(["received", "web-1 sent", "web-2 sent"]);
    expect(first?.lines.map(({ y }) => y[1])).toEqual([60, 20, 40]);
  });

  it("end what arrives where the final sync begins, and not the disk", () => {
    const [first, , disk] = strips;
    const [received] = first?.lines ?? [];
    expect(received?.x.at(-1)).toBe(10);
    expect(disk?.lines[0]?.x.at(-1)).toBe(COUNT);
  });

  it("show the receiver's memory", () => {
    expect(strips.map(({ title }) => title)).toContain("Dirty memory");
  });
});

it("draws the senders' shares, and marks the disk that limits", () => {
  const cell = records.cells[0] as (typeof records.cells)[number];
  const fan = recordFan(records, cell, trial, "MB/s");
  expect(fan.lines.map(({ share }) => share)).toEqual([0.6, 0.4]);
  expect(fan.sinks[0]?.parts.filter((part) => part.isBottleneck).map(({ kind }) => kind)).toEqual([
    "disk",
  ]);
  expect(fan.isNetworkBottleneck).toBe(false);
});

it("shows the record length and the trial of an address, else the best", () => {
  const other = { ...(records.cells[0] as (typeof records.cells)[number]), record_bytes: 10 };
  const both = {
    ...records,
    cells: [{ ...other, trials: [{ ...trial, id: 7 }] }, ...records.cells],
    best: 1,
  };
  expect(shownIn(both, {}).cell?.record_bytes).toBe(4096);
  expect(shownIn(both, { length: "10" }).trial?.id).toBe(7);
  expect(shownIn(both, { length: "4096", trial: "7" }).cell?.record_bytes).toBe(10);
});
