import { upperFirst } from "@mantine/hooks";
import type { RunSummary } from "@/api/shapes";
import { RATE_UNITS, type RateUnit } from "@/components/quantities";
import type { Matrix, MatrixCell, MatrixParameters, RateKind } from "./shapes";

/**
 * How a matrix is read: which rate, which statistic of the repeats, which unit, which cell. All of
 * it stands in the address, so that a link shows the reader what the sender saw.
 */

export const STATISTICS = ["mean", "median", "worst"] as const;
export type Statistic = (typeof STATISTICS)[number];

export interface CellKey {
  block: number;
  threads: number;
}

export interface Reading {
  rate: RateKind;
  stat: Statistic;
  unit: RateUnit;
}

/** The part of a reading that a page keeps in its address; what is absent takes its default. */
export interface ReadingSearch {
  rate?: RateKind;
  stat?: Statistic;
  unit?: RateUnit;
  cell?: string;
  /** The repeat that is looked at. */
  repeat?: string;
  /** The zoomed range of the cell's chart. */
  zoom?: string;
}

const RATES = ["durable", "application"] as const satisfies readonly RateKind[];

/** What a page's address says of the reading; what it cannot mean is left out. */
export function readingIn(search: object): ReadingSearch {
  const raw = search as Record<string, string | undefined>;
  return {
    rate: RATES.find((rate) => rate === raw.rate),
    stat: STATISTICS.find((stat) => stat === raw.stat),
    unit: RATE_UNITS.find((unit) => unit === raw.unit),
    cell: raw.cell !== undefined && parseCell(raw.cell) ? raw.cell : undefined,
    repeat: /^\d{1,4}$/.test(raw.repeat ?? "") ? raw.repeat : undefined,
    zoom: raw.zoom,
  };
}

export const RATE_WORDS: Record<RateKind, string> = {
  durable: "durable",
  application: "application",
};

/** The reading that applies to a matrix: a read run has no durable rate to show. */
export function readingFor(
  search: ReadingSearch,
  rates: readonly RateKind[],
  unit: RateUnit,
): Reading {
  const wanted = search.rate ?? "durable";
  return {
    rate: rates.includes(wanted) ? wanted : (rates[0] ?? "application"),
    stat: search.stat ?? "mean",
    unit: search.unit ?? unit,
  };
}

/** The cell that a run of a matrix is measuring. */
export const cellOf = (current: RunSummary["current"]): CellKey | null | undefined =>
  current && (current.parameters as MatrixParameters);

/** "262144x2" */
export const cellName = ({ block, threads }: CellKey): string => `${block}x${threads}`;

export function parseCell(name: string): CellKey | null {
  const match = /^(\d{1,9})x(\d{1,4})$/.exec(name);
  return match ? { block: Number(match[1]), threads: Number(match[2]) } : null;
}

export function findCell(matrix: Matrix, key: CellKey | null): MatrixCell | null {
  if (!key) return null;
  return (
    matrix.cells.find((cell) => cell.block === key.block && cell.threads === key.threads) ?? null
  );
}

/** Which statistic the matrix shows, where it is not that of the headline. */
export const statisticHint = ({ stat }: Pick<Reading, "stat">): string | undefined =>
  stat === "mean"
    ? undefined
    : `${upperFirst(stat)} of each cell's repeats; headline and recommendation stay the same.`;

/** The figure that a reading takes from a cell, in bytes per second. */
export function valueIn(
  cell: MatrixCell,
  { rate, stat }: Pick<Reading, "rate" | "stat">,
): number | null {
  return cell[rate]?.[`${stat}_bytes_per_s`] ?? null;
}
