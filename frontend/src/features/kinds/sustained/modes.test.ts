import { expect, it } from "vitest";
import { overlaid } from "./result/ComparedModes";
import { cellWords, modeWords, type SustainedCell } from "./sustained";

const NONE = { cache: null, priority: null, io_priority: null };

const cell = (mode: object, more: object = {}): SustainedCell =>
  ({
    block: 800_000,
    queue_depth: 1,
    rate_bytes_per_s: null,
    burst_blocks: null,
    idle_ms: 0,
    mode: { ...NONE, ...mode },
    shown_trial_id: 7,
    trials: [{ id: 7 }],
    ...more,
  }) as unknown as SustainedCell;

it("names only what a test compares", () => {
  expect(modeWords(NONE)).toBe("");
  expect(modeWords({ ...NONE, priority: "normal" })).toBe("normal priority");
  expect(modeWords({ cache: "page", priority: "fifo", io_priority: "idle" })).toBe(
    "page cache, SCHED_FIFO, idle I/O priority",
  );
  expect(cellWords(cell({}))).toBe("800\u00a0kB blocks");
  expect(cellWords(cell({ cache: "direct" }))).toBe("800\u00a0kB blocks, direct I/O");
});

it("overlays the cells that differ from the selected one in nothing but their mode", () => {
  const direct = cell({ cache: "direct" });
  const page = cell({ cache: "page" });
  const others = [
    cell({ cache: "page" }, { block: 4096 }),
    cell({ cache: "page" }, { idle_ms: 5 }),
  ];
  const unmeasured = cell({ cache: "page" }, { shown_trial_id: null });
  const shown = (cells: SustainedCell[], place: number | null = null) =>
    overlaid({ cells, participants: [{ id: 1 }, { id: 2 }] } as never, direct, place);
  expect(shown([direct, page, ...others]).map(({ name }) => name)).toEqual([
    "direct I/O",
    "page cache",
  ]);
  expect(shown([direct, unmeasured])).toHaveLength(1);
  expect(shown([direct, page]).map(({ participant }) => participant)).toEqual([
    undefined,
    undefined,
  ]);
  expect(shown([direct, page], 1).map(({ participant }) => participant)).toEqual([2, 2]);
});

it("draws nothing for a test that compares nothing", () => {
  expect(overlaid({ cells: [cell({})], participants: [] } as never, cell({}), null)).toEqual([]);
});
