import type { ArrayHistory } from "@/api/shapes";
import { textOf } from "@/features/compare/Differences";
import { kindOf } from "@/features/kinds/registry";

export type HistoryChange = ArrayHistory["changes"][number];

/** The changes that the same run showed first, with the number of its line in the chart. */
export interface ChangesOfRun {
  number: number;
  run_id: number;
  at: string;
  changes: HistoryChange[];
}

/** The changes by the run that showed them first, numbered from the oldest. */
export function changesByRun(changes: readonly HistoryChange[]): ChangesOfRun[] {
  const found = new Map<number, HistoryChange[]>();
  for (const change of changes) {
    found.set(change.run_id, [...(found.get(change.run_id) ?? []), change]);
  }
  return [...found].map(([run_id, own], index) => ({
    number: index + 1,
    run_id,
    at: own[0]?.at ?? "",
    changes: own,
  }));
}

/** A condition's value before and after; of a list of options only those that differ. */
export function beforeAndAfter(
  { name, before, after }: HistoryChange,
  kind: string,
): [before: string, after: string] {
  if (name === "fs_options" && typeof before === "string" && typeof after === "string") {
    const [was, now] = [before.split(","), after.split(",")];
    const gone = was.filter((option) => !now.includes(option)).join(", ");
    const added = now.filter((option) => !was.includes(option)).join(", ");
    return [gone || "–", added || "–"];
  }
  const text = (value: unknown) => textOf(kindOf({ kind }), name, value);
  return [text(before), text(after)];
}

/** What changed, for the line in the chart: "Kernel, mount options". */
export const changeWords = ({ changes }: ChangesOfRun): string =>
  changes
    .map(({ what }, index) => (index === 0 ? what : what.charAt(0).toLowerCase() + what.slice(1)))
    .join(", ");
