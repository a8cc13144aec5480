/** What a criterion can continue with, as one types it: metric, cell, operator, unit. */
import type { Metric, Test } from "@/api/shapes";
import { blocksText } from "@/features/parameters/parse";

type ArgumentDimension = Metric["arguments"][number]["dimension"];

const AT_LEAST = [">=", ">", "<=", "<"];
const AT_MOST = ["<", "<=", ">", ">="];

/** A metric of which more is better is usually limited from below, any other from above. */
const operatorsOf = ({ dimension, better }: Metric): string[] => {
  if (dimension === "yes_no") return [];
  return better === "more" ? AT_LEAST : AT_MOST;
};

/** A name that is whole: what follows it, if anything, is its cell or an operator. */
const NAME = /^[\w.]+(?=\s*(?:$|[(<>]))/;
const WORDS = /^[\w. -]*$/;
const IN_ARGUMENTS = /^([\w.]+)\(([^)]*)$/;
const BEFORE_OPERATOR = /^([\w.]+(?:\([^)]*\))?)\s*([<>]?)$/;
const QUANTITY = /^(([\w.]+)(?:\([^)]*\))?\s*[<>]=?\s*\d+(?:\.\d+)?)\s*(\S*)$/;

/** Whole criteria, or beginnings of them, that continue the text; `tests` give the cells' values. */
export function completions(
  metrics: readonly Metric[],
  text: string,
  tests: readonly Test[] = [],
): string[] {
  const typed = text.trimStart();
  const metricOf = (name?: string) => metrics.find((metric) => metric.name === name);
  const metric = metricOf(NAME.exec(typed)?.[0]);
  if (!metric && WORDS.test(typed)) return namesWith(metrics, typed.trim());
  if (metric && typed === metric.name) return [...begun(metric), ...operators(metric, typed)];
  const [, ofArguments, given] = IN_ARGUMENTS.exec(typed) ?? [];
  const owner = metricOf(ofArguments);
  if (owner && given !== undefined) return argumentsOf(owner, given, metrics, tests);
  const [, subject, angle] = BEFORE_OPERATOR.exec(typed) ?? [];
  const limited = metricOf(subject?.split("(")[0]);
  if (limited && subject) {
    return operators(limited, subject).filter((one) => one.startsWith(`${subject} ${angle}`));
  }
  const [, quantity, measured, unit = ""] = QUANTITY.exec(typed) ?? [];
  const units = metricOf(measured)?.units ?? [];
  if (!quantity || units.includes(unit)) return [];
  return startingWith(units, unit).map((one) => `${quantity} ${one}`);
}

/** The metrics whose name or label has the text. */
function namesWith(metrics: readonly Metric[], typed: string): string[] {
  const sought = typed.toLowerCase();
  const found = metrics.filter(
    ({ name, label }) => name.includes(sought) || label.toLowerCase().includes(sought),
  );
  return [...new Set(found.map(({ name }) => name))];
}

/** A metric with an argument that it needs, or that may follow. */
const begun = ({ name, arguments: all }: Metric): string[] => (all.length > 0 ? [`${name}(`] : []);

/** The subject with each operator; none while a required argument is missing. */
function operators(metric: Metric, subject: string): string[] {
  if (metric.arguments.some(({ required }) => required) && !subject.includes("(")) return [];
  return operatorsOf(metric).map((operator) => `${subject} ${operator} `);
}

function argumentsOf(
  { name, arguments: all }: Metric,
  given: string,
  metrics: readonly Metric[],
  tests: readonly Test[],
): string[] {
  const parts = given.split(",");
  const last = parts.at(-1)?.trimStart() ?? "";
  const before = parts.slice(0, -1).map((part) => part.trim());
  const start = `${name}(${before.map((part) => `${part}, `).join("")}`;
  const [key, value] = last.split("=").map((part) => part.trim());
  if (value === undefined && /^\d/.test(last)) {
    const [first] = all; // by its place
    const found = first ? withUnits(last, first.dimension, metrics) : [];
    return found.map((one) => `${start}${one})`);
  }
  if (value === undefined) {
    const used = before.map((part) => part.split("=")[0]);
    const missing = all.map((one) => one.name).filter((one) => !used.includes(one));
    return startingWith(missing, last).map((one) => `${start}${one}=`);
  }
  const argument = all.find((one) => one.name === key);
  if (argument === undefined) return [];
  const { dimension, choices } = argument;
  const known = choices.length > 0 ? choices : valuesOf(tests, key ?? "", dimension);
  const found = known.length > 0 ? known : withUnits(value, dimension, metrics);
  return found.filter((one) => one.startsWith(value)).map((one) => `${start}${key}=${one})`);
}

/** A number with each unit of its dimension. */
function withUnits(
  value: string,
  dimension: ArgumentDimension,
  metrics: readonly Metric[],
): string[] {
  const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*(\S*)$/.exec(value) ?? [];
  if (number === undefined) return [];
  const units = metrics.find((metric) => metric.dimension === dimension)?.units ?? [];
  if (units.length === 0) return [number];
  return startingWith(units, unit).map((one) => `${number}${value.includes(" ") ? " " : ""}${one}`);
}

/** The values of an axis of the tests, as a criterion writes them. */
function valuesOf(tests: readonly Test[], name: string, dimension: ArgumentDimension): string[] {
  const values = tests.flatMap((test) => {
    const found: unknown = (test as Record<string, unknown>)[FIELDS[name] ?? name];
    return Array.isArray(found) ? found.filter((one) => typeof one === "number") : [];
  });
  return [...new Set(values)].map((one) =>
    dimension === "size" ? blocksText([one]) : String(one),
  );
}

/** The fields of axes that criteria name otherwise. */
const FIELDS: Record<string, string> = { depth: "queue_depth" };

const startingWith = (options: readonly string[], start: string): string[] =>
  options.filter((one) => one.toLowerCase().startsWith(start.toLowerCase()));
