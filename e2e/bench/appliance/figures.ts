/** The result of a benchmark: a named figure with all measured values, and its limit. */

import { appendFileSync } from "node:fs";

export interface Figure {
  name: string;
  unit: string;
  values: number[];
  /** The maximum value, if there is a bar. */
  bar?: { below: number } | { most: number };
  /** Additional information. */
  note?: string;
}

const file = process.env.ASSAY_BENCH_FIGURES;

/** Number of measurements of each figure. */
export const REPETITIONS = Number(process.env.ASSAY_BENCH_REPETITIONS ?? "2");

/** Add a figure to the file that `all.py` reads. */
export function record(figure: Figure): void {
  const line = JSON.stringify(figure);
  if (file) appendFileSync(file, `${line}\n`);
  else console.log(line);
}

/** Repeat a measurement sequentially. */
export async function repeated<T>(measure: (time: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let time = 0; time < REPETITIONS; time++) found.push(await measure(time));
  return found;
}
