import { type ListSearch, listParameters } from "@/api/listSearch";

/** What is exported: the runs of a list, by its filters, or compared runs, the first of them the base. */
export type ExportOf = { search: ListSearch } | { compared: readonly number[] };

export type Format = "csv" | "parquet";

/** The API's parameters that select what is exported; the order of a list is none of them. */
export function selection(of: ExportOf, now: Date): Record<string, string | string[]> {
  if ("compared" in of) return { runs: of.compared.join(",") };
  const { sort: _, ...filters } = listParameters(of.search, now);
  return Object.fromEntries(
    Object.entries(filters).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined,
    ),
  );
}

/** The address of the file. */
export function address(of: ExportOf, rows: string, format: Format, now: Date): string {
  const path = "compared" in of ? "compare" : "runs";
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...selection(of, now), rows, format })) {
    for (const one of [value].flat()) query.append(name, one);
  }
  return `/api/v1/${path}/export?${query}`;
}
