/** A matrix: the API's types, and how it is read. */

import { upperFirst } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { components } from "@/api/schema";
import type { Comparison, Result, RunSummary } from "@/api/shapes";
import { RATE_UNITS, type RateUnit, useRateUnit } from "@/components/quantities";

type Schemas = components["schemas"];

export type MatrixTest = Schemas["MatrixTest"];
export type ResolvedMatrix = Schemas["ResolvedMatrix"];
export type Operation = MatrixTest["operation"];
type MatrixParameters = Schemas["MatrixParameters"];
export type MatrixHeadline = Schemas["MatrixHeadline"];

export type MatrixAnswer = Schemas["MatrixAnswer"];
export type Advice = Schemas["Advice"];
/** The levels of a cell with a cliff. */
export type CellLevels = Schemas["CellLevels"];

export type RankedRepeats = Schemas["RankedRepeats"];
export type ServedBy = Schemas["ServedBy"];
export type Flag = Schemas["Flag"];
export type FlagCode = Flag["code"];
export type RateKind = Schemas["MatrixResult"]["rates"][number];
export type MatrixCell = Omit<Schemas["Cell"], "trials"> & { trials: Schemas["MatrixTrial"][] };
export type Matrix = Omit<Schemas["MatrixResult"], "cells"> & { cells: MatrixCell[] };

/** The API leaves a cell's trials out only where it is asked to. */
export const asMatrix = (result: Result): Matrix => result as Matrix;

/** Two or more matrices, and how the first compares with each other one. */
export type ComparedMatrices = Omit<Comparison, "runs" | "outcome" | "others"> & {
  runs: (Omit<Comparison["runs"][number], "result"> & { result: Matrix })[];
  outcome: Schemas["MatrixComparison"] | null;
  others: Schemas["MatrixComparison"][];
};

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
interface ReadingSearch {
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
  return cell[rate]?.[stat] ?? null;
}

/** The page's reading, from its address; a change renews the address and moves nothing. */
export function useReading(rates: readonly RateKind[]) {
  const search = readingIn(useSearch({ strict: false }));
  const navigate = useNavigate();
  const { unit } = useRateUnit();
  const change = useCallback(
    (changed: ReadingSearch) =>
      navigate({
        to: ".",
        search: (before: object) => ({ ...before, ...changed }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const reading: Reading = readingFor(search, rates, unit);
  const repeat = search.repeat === undefined ? null : Number(search.repeat);
  return { reading, cell: search.cell ?? null, repeat, change };
}
