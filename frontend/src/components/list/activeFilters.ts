import { type ListSearch, SPANS, type Span } from "@/api/listSearch";
import type { Filter } from "./FilterBar";

type Active = {
  /** What the URL calls the filter's parts. */
  names: readonly string[];
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
  const chosen = filters.flatMap(({ name, label, options }) => {
    const value = search[name];
    if (value === undefined) return [];
    const shown = options.find((option) => option.value === value)?.label ?? value;
    return [{ names: [name], text: `${label}: ${shown}` }];
  });
  return [
    ...(q ? [{ names: ["q"], text: `Words: ${q}` }] : []),
    ...chosen,
    ...(label ? [{ names: ["label"], text: `Label: ${label}` }] : []),
    ...(within ? [{ names: ["within"], text: `${time}: ${spanOf(within)}` }] : []),
    ...(from ? [{ names: ["from"], text: `${time} from ${from}` }] : []),
    ...(to ? [{ names: ["to"], text: `${time} to ${to}` }] : []),
  ];
}

const spanOf = (within: string): string => SPANS[within as Span]?.label.toLowerCase() ?? within;
