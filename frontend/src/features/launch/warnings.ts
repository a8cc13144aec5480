import type { Estimate, Target } from "@/api/shapes";

type Warning = Estimate["warnings"][number];

/** First what makes a result useless, then what limits its meaning. */
const BY_GRAVITY: readonly string[] = [
  "too_short",
  "direct_buffered",
  "direct_not_real",
  "fits_in_memory",
  "fits_in_array_cache",
];

/** A place's name in a message, so that messages about different places can be compared. */
const HERE = "\0";

/** The messages of an estimate, gravest first; one that several targets share names them all. */
export function warningsOf(warnings: readonly Warning[], targets: readonly Target[]): string[] {
  // The longest name first: "web-1 /mnt" is also a part of "web-1 /mnt/a".
  const names = targets
    .map(({ host_name, path }) => `${host_name} ${path}`)
    .sort((one, other) => other.length - one.length);
  const places = new Map<string, string[]>();
  for (const { message } of [...warnings].sort((one, other) => gravity(one) - gravity(other))) {
    const name = names.find((each) => message.includes(each));
    const shared = name ? message.replace(name, HERE) : message;
    places.set(shared, [...(places.get(shared) ?? []), ...(name ? [name] : [])]);
  }
  return [...places].map(([shared, at]) => shared.replace(HERE, listed(at)));
}

function gravity({ code }: Warning): number {
  const place = BY_GRAVITY.indexOf(code);
  return place < 0 ? BY_GRAVITY.length : place;
}

const listed = (names: readonly string[]): string =>
  new Intl.ListFormat("en", { type: "conjunction" }).format(names);
