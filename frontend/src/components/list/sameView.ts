import type { ListSearch } from "@/api/listSearch";

/** The parameters of a list that are set, as a view keeps them. */
export const viewSearch = (search: ListSearch): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );

/** Whether two views select and order alike, whatever the order of their parameters. */
export function isSameView(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}
