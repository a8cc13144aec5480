import { figure, type RateUnit } from "@/components/quantities";
import type { MatrixAnswer } from "@/features/kinds/matrix/shapes";
import { counted, reachedWords } from "@/features/kinds/matrix/words";

type Reason = Extract<MatrixAnswer["best"], { code: "cannot_compare" }>["reasons"][number];
type Side = MatrixAnswer["a"];
type Best = NonNullable<Side["best"]>;
/** A run's name in sentences. */
type NameOf = (runId: number) => string;

/** How run A compares with run B, at their best and cell by cell. */
export function answerWords(answer: MatrixAnswer, nameOf: NameOf, unit: RateUnit): string {
  const { a, b, best, rate } = answer;
  if (a.best === null || b.best === null) {
    const missing = best.code === "cannot_compare" ? best.reasons : [];
    const clauses = missing.map((reason) => reasonWords(reason, nameOf, rate));
    return `Nothing to compare yet: ${clauses.join(", and ")}.`;
  }
  return `${bestWords(answer, [a.best, b.best], nameOf, unit)} ${cellWords(answer, nameOf(a.run_id))}`;
}

function reasonWords({ run_id, code, cells }: Reason, nameOf: NameOf, rate: string): string {
  switch (code) {
    case "not_measured":
      return `${nameOf(run_id)} measured no ${rate} rate`;
    case "unreliable":
      return `${nameOf(run_id)} has no ${rate} rate to rely on`;
    case "left_out_faster": {
      const verb = cells === 1 ? "was" : "were";
      return `on ${nameOf(run_id)}, ${counted(cells ?? 0, "cell")} excluded as unreliable ${verb} faster than the best of the others`;
    }
    case "cliff":
      return `on ${nameOf(run_id)}, the rate changed permanently during a trial`;
  }
}

function bestWords(
  { a, b, best, rate }: MatrixAnswer,
  [bestA, bestB]: [Best, Best],
  nameOf: NameOf,
  unit: RateUnit,
): string {
  const [nameA, nameB] = [nameOf(a.run_id), nameOf(b.run_id)];
  const [rateA, rateB] = [reachedWords(bestA, unit), reachedWords(bestB, unit)];
  const reached = `${rateA} against ${rateB} ${rate}`;
  switch (best.code) {
    case "cannot_compare": {
      const why = best.reasons.map((reason) => reasonWords(reason, nameOf, rate)).join("; ");
      return `Cannot compare the best rates (${nameA}: ${rateA}, ${nameB}: ${rateB} ${rate}): ${why}.`;
    }
    case "too_few_repeats":
      return `Too few repeats to tell whether ${nameA} and ${nameB} differ at their best: ${reached}.`;
    case "no_difference":
      return `At their best, ${nameA} and ${nameB} do not differ: ${reached}.`;
    case "faster":
      return best.ratio === null
        ? `${nameB} transferred nothing: ${reached}.`
        : `At its best, ${nameA} is ${figure(best.ratio)} × as fast as ${nameB}: ${reached}.`;
    case "slower":
      return best.ratio === 0
        ? `${nameA} transferred nothing: ${reached}.`
        : `At its best, ${nameA} reaches ${Math.round(100 * (best.ratio ?? 0))} % of ${nameB}: ${reached}.`;
  }
}

function cellWords({ cells }: MatrixAnswer, name: string): string {
  if (cells.common === 0) return "They have no cell in common.";
  const more = [
    cells.too_few_repeats > 0 && `${cells.too_few_repeats} have too few repeats to tell`,
    cells.cliff > 0 && `the rate changed permanently in ${cells.cliff}`,
    cells.unreliable > 0 && `${cells.unreliable} have no reliable rate`,
  ].filter(Boolean);
  const counts = `${name} is faster in ${cells.faster}, slower in ${cells.slower}, and within noise in ${cells.within_noise} of ${counted(cells.common, "common cell")}`;
  return `Cell by cell, ${[counts, ...more].join("; ")}.`;
}
