/** The part of a URL that selects and orders the rows of a list, and the API's parameters for it. */

const DAY_MS = 86_400_000;

/** Times that end now, by the word in the URL; a saved link stays about the last days. */
export const SPANS = {
  "1d": { label: "Last 24 hours", days: 1 },
  "7d": { label: "Last 7 days", days: 7 },
  "30d": { label: "Last 30 days", days: 30 },
  "365d": { label: "Last 365 days", days: 365 },
} as const;

export type Span = keyof typeof SPANS;

/**
 * Filters as in the URL: `q` has words, `within` a span that ends now, `from` and `to` the first and
 * last day in the browser's time zone, and `sort` the order.
 */
export type ListSearch = { [name: string]: string | undefined };

/** Filters that the API takes several values of; in the URL commas part them: `state=done,failed`. */
const SEVERAL: ReadonlySet<string> = new Set(["kind", "label", "role", "state", "verdict"]);

/** The values of such a filter; a comma in one of them has a backslash before it. */
export const valuesOf = (text: string | undefined): string[] =>
  (text?.match(/(?:\\[\s\S]|[^,\\])+/g) ?? [])
    .map((value) => value.replace(/\\([,\\])/g, "$1").trim())
    .filter(Boolean);

/** These values as the URL has them; undefined without any. */
export const valuesText = (values: readonly string[]): string | undefined =>
  values.map((value) => value.replace(/[,\\]/g, "\\$&")).join(",") || undefined;

const EVERY_LIST = ["q", "within", "from", "to", "sort"] as const;

/** The filters of a page's list, by the names that it has. */
type SearchOf<Name extends string> = { [K in Name | (typeof EVERY_LIST)[number]]?: string };

/** Reads the filters of these names, words, dates and the order from a URL. */
export const listSearch =
  <Name extends string>(...names: readonly Name[]) =>
  (raw: Record<string, string | undefined>): SearchOf<Name> =>
    Object.fromEntries(
      [...EVERY_LIST, ...names].flatMap((name) => (raw[name] ? [[name, raw[name]]] : [])),
    ) as SearchOf<Name>;

/** Whether any filter is set; the order is none. */
export const isFiltered = ({ sort: _, ...filters }: ListSearch): boolean =>
  Object.values(filters).some((value) => value !== undefined);

const isSpan = (text: string | undefined): text is Span => text !== undefined && text in SPANS;

/** The begin of a day in the browser's time zone, or of one `later`; undefined if it is no date. */
function startOf(day: string | undefined, later = 0): Date | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? "") ?? [];
  if (!year || !month || !date) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(start.getTime()) ? undefined : start;
}

export type ListParameters = { [name: string]: string | string[] | undefined };

/** The API's parameters for a list; the last day of `to` belongs to it. */
export function listParameters(search: ListSearch, now: Date): ListParameters {
  const { within, from, to, ...filters } = search;
  const since = isSpan(within)
    ? new Date(now.getTime() - SPANS[within].days * DAY_MS)
    : startOf(from);
  const rest = Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      value !== undefined && SEVERAL.has(name) ? valuesOf(value) : value,
    ]),
  );
  return { ...rest, from: since?.toISOString(), to: startOf(to, 1)?.toISOString() };
}

/** What lists of campaigns and of runs can be filtered by, beside their states. */
export const RUN_FILTERS = [
  "host_id",
  "array_id",
  "target_id",
  "profile",
  "kind",
  "verdict",
  "label",
  "schedule",
] as const;
