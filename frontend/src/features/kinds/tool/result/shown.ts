import { begunOf, nearestToMean } from "@/features/kinds/results";
import type { ToolCell, Tools, ToolTrial } from "@/features/kinds/tool/tool";

/** What a result page shows, from its address: a link shows the reader what the sender saw. */
export interface ShownSearch {
  /** A cell by its key, and one of its repeats. */
  cell?: string;
  repeat?: string;
  /** A trial by its id, as a verdict links to its evidence; it decides over the others. */
  trial?: string;
}

export interface Shown {
  cell: ToolCell | null;
  trial: ToolTrial | null;
}

/** Identifies a cell in an address: "rsync-ssh-1000", "iperf3". */
export const cellKey = ({ tool, files }: Pick<ToolCell, "tool" | "files">): string =>
  files ? `${tool}-${files}` : tool;

/** The part of a result that an address means; what it cannot mean takes its default. */
export function shownIn({ cells, best }: Tools, search: object): Shown {
  const { cell: key, repeat, trial: id } = search as ShownSearch;
  const cell =
    cells.find(({ trials }) => trials.some((one) => String(one.id) === id)) ??
    cells.find((one) => cellKey(one) === key) ??
    cells[best ?? -1] ??
    cells.find((one) => begunOf(one).length > 0) ??
    null;
  const begun = cell ? begunOf(cell) : [];
  const trial =
    begun.find((one) => String(one.id) === id) ??
    begun.find((one) => String(one.repeat) === repeat) ??
    (cell && typicalOf(cell)) ??
    begun[0] ??
    null;
  return { cell, trial };
}

/** The trial nearest to the cell's mean; null if it has none. */
export function typicalOf(cell: ToolCell): ToolTrial | null {
  const mean = cell.bytes_per_s?.mean;
  if (mean === undefined) return null;
  return nearestToMean(begunOf(cell), mean, (trial) => leadingRate(cell, trial)) ?? null;
}

/** The rate of a trial that leads in its cell. */
export const leadingRate = (
  { rate }: Pick<ToolCell, "rate">,
  { durable_bytes_per_s, application_bytes_per_s }: ToolTrial,
): number | null => (rate === "durable" ? durable_bytes_per_s : application_bytes_per_s);
