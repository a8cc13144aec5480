import type { RateUnit } from "@/components/quantities";
import { fasterWords } from "@/features/compare/ratioWords";
import { placeWords } from "@/features/kinds/matrix/matrixGrid";
import type { MatrixAnswer } from "@/features/kinds/matrix/shapes";
import { counted, reachedWords } from "@/features/kinds/matrix/words";

type Side = MatrixAnswer["a"];
type Best = NonNullable<Side["best"]>;
type Reason = Extract<MatrixAnswer["best"], { code: "cannot_compare" }>["reasons"][number];
/** A run's name in sentences. */
type NameOf = (runId: number) => string;

const inWords = new Intl.ListFormat("en", { type: "conjunction" });

/** How run A compares with run B, at their best and cell by cell. */
export function answerWords(answer: MatrixAnswer, nameOf: NameOf, unit: RateUnit): string {
  const { a, b, best, rate, cells } = answer;
  const names: [string, string] = [nameOf(a.run_id), nameOf(b.run_id)];
  if (a.best === null || b.best === null) return whyWords(best, nameOf, rate);
  const reached = [
    `${reachedWords(a.best, unit, ` ${rate}`)} (${placeWords(a.best)})`,
    `${reachedWords(b.best, unit)} (${placeWords(b.best)})`,
  ];
  const atBest =
    best.code === "cannot_compare"
      ? `${whyWords(best, nameOf, rate)} Best cells: ${names[0]} ${reached[0]}; ${names[1]} ${reached[1]}.`
      : `${bestWords(best, names)}: ${reached.join(" versus ")}.`;
  return [atBest, ...doubtWords([a.best, b.best], names), cellWords(cells, names)].join(" ");
}

/** What two runs lack that have no rate for the same reason. */
const NEITHER: Partial<Record<Reason["code"], string>> = {
  not_measured: "has any",
  unreliable: "has a reliable",
};

function whyWords(best: MatrixAnswer["best"], nameOf: NameOf, rate: string): string {
  const reasons = best.code === "cannot_compare" ? best.reasons : [];
  const [one, other] = reasons;
  const has = one && one.code === other?.code ? NEITHER[one.code] : undefined;
  if (one && other && has) {
    return `Cannot compare the best rates: neither ${nameOf(one.run_id)} nor ${nameOf(other.run_id)} ${has} ${rate} rate.`;
  }
  const clauses = reasons.map((reason) => reasonWords(reason, nameOf(reason.run_id), rate));
  return `Cannot compare the best rates: ${clauses.join("; ")}.`;
}

function reasonWords({ code, cells }: Reason, name: string, rate: string): string {
  switch (code) {
    case "not_measured":
      return `${name} has no ${rate} rate`;
    case "unreliable":
      return `${name} has no reliable ${rate} rate`;
    case "left_out_faster":
      return `${counted(cells ?? 0, "cell")} of ${name}, excluded as unreliable, ${cells === 1 ? "was" : "were"} faster than its best cell`;
    case "cliff":
      return `the rate of ${name} changed permanently during a trial`;
  }
}

function bestWords(
  { code, ratio }: Exclude<MatrixAnswer["best"], { code: "cannot_compare" }>,
  [a, b]: [string, string],
): string {
  if (code === "no_difference") return `At their best, ${a} and ${b} are equal within noise`;
  if (code === "too_few_repeats") {
    return `Too few repeats to tell whether ${a} or ${b} is faster at its best`;
  }
  if (ratio === null) return `${b} transferred nothing`;
  if (ratio === 0) return `${a} transferred nothing`;
  return `At its best, ${a} is ${fasterWords(ratio)} ${b}`;
}

/** What a rate is worth that the device did not provably serve. */
const DOUBTS: Partial<Record<NonNullable<Best["served_by"]>, (rates: string) => string>> = {
  page_cache: (rates) => `The page cache served ${rates}.`,
  array_cache: (rates) => `The array's cache possibly served ${rates}.`,
  unknown: (rates) => `It is unknown what served ${rates}.`,
};

function doubtWords([a, b]: [Best, Best], names: [string, string]): string[] {
  const doubt = ({ served_by }: Best) => (served_by && DOUBTS[served_by]) ?? null;
  if (a.served_by === b.served_by) {
    const both = doubt(a)?.("both best rates");
    return both ? [both] : [];
  }
  return [a, b].flatMap((best, index) => doubt(best)?.(`the best rate of ${names[index]}`) ?? []);
}

function cellWords(cells: MatrixAnswer["cells"], [a, b]: [string, string]): string {
  const { common } = cells;
  if (common === 0) return "The runs have no cell in common.";
  const inconclusive = [
    cells.too_few_repeats && `too few repeats in ${cells.too_few_repeats}`,
    cells.cliff && `permanent rate change in ${cells.cliff}`,
    cells.unreliable && `no reliable rate in ${cells.unreliable}`,
  ].filter(Boolean);
  const found = [
    { number: cells.faster, first: `faster than ${b}`, later: "faster" },
    { number: cells.slower, first: `slower than ${b}`, later: "slower" },
    {
      number: cells.within_noise,
      first: `equal to ${b} within noise`,
      later: "equal within noise",
    },
  ].filter(({ number }) => number > 0);
  if (found.length === 0) {
    const which = common === 1 ? "The only common cell" : `None of the ${common} common cells`;
    if (cells.unreliable === common) {
      return `${which} ${common === 1 ? "does not have" : "has"} a reliable rate in both runs.`;
    }
    return `${which} ${common === 1 ? "cannot" : "can"} be compared: ${inconclusive.join(", ")}.`;
  }
  const places = found.map(({ number, first, later }, index) => {
    if (index > 0) return `${later} in ${number}`;
    if (number < common) return `${first} in ${number} of ${common} common cells`;
    return `${first} in ${common === 1 ? "the only common cell" : `all ${common} common cells`}`;
  });
  const sentence = `Cell by cell, ${a} is ${inWords.format(places)}.`;
  return inconclusive.length > 0
    ? `${sentence} Inconclusive: ${inconclusive.join(", ")}.`
    : sentence;
}
