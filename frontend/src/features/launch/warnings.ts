import type { Estimate, RunParameters, Test } from "@/api/shapes";
import type { Parameter, Texts } from "@/features/parameters/parameters";

type Warning = Estimate["warnings"][number];

/** What the estimate panel shows of one or more warnings. */
interface Remark {
  message: string;
  /** Parameters with which it would not apply. */
  remedy: Warning["remedy"];
}

/** First what makes a result useless, then what limits its meaning. */
const BY_GRAVITY: readonly string[] = [
  "too_short",
  "direct_buffered",
  "direct_not_real",
  "fits_in_memory",
  "fits_in_array_cache",
];

/** The most targets or runs that are named one by one. */
const MOST_NAMED = 3;

/**
 * The warnings of an estimate, gravest first. One that several targets share names or counts them;
 * of those with a remedy, one per code is shown, with the values that are sufficient for all.
 */
export function warningsOf(warnings: readonly Warning[]): Remark[] {
  const groups = new Map<string, Warning[]>();
  for (const warning of [...warnings].sort((one, other) => gravity(one) - gravity(other))) {
    const key = largest(warning) > 0 ? warning.code : said(warning);
    groups.set(key, [...(groups.get(key) ?? []), warning]);
  }
  return [...groups.values()].map((group) => strongest(group) ?? alike(group));
}

/** What warnings about different places have in common if they say the same. */
const said = ({ about, message }: Warning): string =>
  JSON.stringify(about ? [about.before, about.after] : message);

const largest = ({ remedy }: Warning): number => Math.max(0, ...Object.values(remedy));

/** The warning whose remedy is sufficient for all of the group; null if there is no remedy. */
function strongest(group: readonly Warning[]): Remark | null {
  const [first, ...others] = [...group].sort((one, other) => largest(other) - largest(one));
  if (!first || largest(first) === 0) return null;
  const { message, remedy } = first;
  return { message: others.length > 0 ? `${message} ${alsoWords(others)}` : message, remedy };
}

/** "The same applies to Write on web-2 /mnt and Write on web-3 /mnt." */
function alsoWords(others: readonly Warning[]): string {
  const runs = others.map(({ about, message }) =>
    about ? `${about.before}${about.name}` : message,
  );
  return `The same applies to ${listed(runs, "other runs")}.`;
}

/** One message for warnings that differ only in the target. */
function alike(group: readonly Warning[]): Remark {
  const [first] = group;
  const names = group.flatMap(({ about }) => about?.name ?? []);
  const about = first?.about;
  const message = about && `${about.before}${listed(names, "targets")}${about.after}`;
  return { message: message ?? first?.message ?? "", remedy: {} };
}

function gravity({ code }: Warning): number {
  const place = BY_GRAVITY.indexOf(code);
  return place < 0 ? BY_GRAVITY.length : place;
}

const listed = (names: readonly string[], what: string): string =>
  names.length > MOST_NAMED
    ? `${names.length} ${what}`
    : new Intl.ListFormat("en", { type: "conjunction" }).format(names);

/** A remedy as the form's texts, and in words with three significant digits: "6.50 GB". */
export function remedyTexts(
  parameters: readonly Parameter[],
  remedy: Remark["remedy"],
): { texts: Texts; words: string } {
  const known = parameters.filter(({ name }) => name in remedy);
  const text = (parameter: Parameter) => parameter.text(remedy as unknown as Test);
  const word = (parameter: Parameter) =>
    parameter.measured?.(remedy as unknown as RunParameters) ?? text(parameter);
  return {
    texts: Object.fromEntries(known.map((parameter) => [parameter.name, text(parameter)])),
    words: known.map(word).join(", "),
  };
}
