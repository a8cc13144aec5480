import { type ListSearch, SPANS, type Span, valuesOf, valuesText } from "@/api/listSearch";
import { lookOf } from "@/components/state/StateBadge";

/** A filter with a fixed choice: its name in the URL and the API, and what is chosen from. */
export type Filter = {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
  /** Whether several values can be chosen; rows with any of them match. */
  several?: boolean;
};

type Active = {
  /** What removes it from the URL. */
  without: ListSearch;
  /** The filter in words: "State: failed". */
  text: string;
};

/** The filters that are set, in words; a value without an option is shown as it is. */
export function activeFilters(
  search: ListSearch,
  filters: readonly Filter[],
  time = "Time",
): Active[] {
  const { q, label, within, from, to } = search;
  const chosen = filters.flatMap(({ name, label, options, several }) => {
    const text = search[name];
    if (text === undefined) return [];
    const shown = (value: string) => options.find((one) => one.value === value)?.label ?? value;
    return several
      ? each(name, label, text, shown)
      : [{ without: { [name]: undefined }, text: `${label}: ${shown(text)}` }];
  });
  return [
    ...(q ? [{ without: { q: undefined }, text: `Words: ${q}` }] : []),
    ...chosen,
    ...each("label", "Label", label),
    ...(within ? [{ without: { within: undefined }, text: `${time}: ${spanOf(within)}` }] : []),
    ...(from ? [{ without: { from: undefined }, text: `${time} from ${from}` }] : []),
    ...(to ? [{ without: { to: undefined }, text: `${time} to ${to}` }] : []),
  ];
}

/** The values of a filter, each of which can be removed by itself. */
function each(
  name: string,
  label: string,
  text: string | undefined,
  shown = (value: string) => value,
): Active[] {
  const values = valuesOf(text);
  return values.map((value) => ({
    without: { [name]: valuesText(values.filter((other) => other !== value)) },
    text: `${label}: ${shown(value)}`,
  }));
}

const spanOf = (within: string): string => SPANS[within as Span]?.label.toLowerCase() ?? within;

const optionOf = (state: string) => ({ value: state, label: lookOf(state).label });

/** A filter by one or several of these states. */
export const stateFilter = (...states: readonly string[]): Filter => ({
  name: "state",
  label: "State",
  several: true,
  options: states.map(optionOf),
});

/** A filter by verdict. */
export const VERDICT_FILTER: Filter = {
  name: "verdict",
  label: "Verdict",
  several: true,
  options: ["fail", "inconclusive", "waived", "pass"].map(optionOf),
};
