/** What a benchmark hands on: a named figure with every value measured, and what it should reach. */

import { appendFileSync } from "node:fs";

export interface Figure {
  name: string;
  unit: string;
  values: number[];
  /** What the value has to be below or equal to, where something is promised. */
  bar?: { below: number } | { most: number };
  /** What else a reader has to know. */
  note?: string;
}

const file = process.env.ASSAY_BENCH_FIGURES;

/** How often each thing is measured. */
export const REPETITIONS = Number(process.env.ASSAY_BENCH_REPETITIONS ?? "2");

/** Add a figure to the file that `all.py` reads. */
export function record(figure: Figure): void {
  const line = JSON.stringify(figure);
  if (file) appendFileSync(file, `${line}\n`);
  else console.log(line);
}

/** The same measurement as often as is asked, one after the other. */
export async function repeated<T>(measure: (time: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let time = 0; time < REPETITIONS; time++) found.push(await measure(time));
  return found;
}
