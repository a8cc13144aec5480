import type { Samples } from "@/api/shapes";

/**
 * The end of a phase cuts an interval off. What happened in a few milliseconds of it is no rate:
 * a single large write that ends there would be a spike that sets the axis. So pictures join such a
 * fragment with the interval before; tables keep it as it was measured.
 */

/** An interval that is a smaller share of the sampling interval than this is a fragment. */
const FRAGMENT = 1 / 5;

type Value = number | null;

/** An interval's value and that of the fragment after it, with the lengths of both. */
type Join = (value: Value, fragment: Value, length: number, fragmentLength: number) => Value;

const kept: Join = (value) => value;
const latest: Join = (_, fragment) => fragment;
const greatest: Join = (value, fragment) =>
  value === null || fragment === null ? (value ?? fragment) : Math.max(value, fragment);
const overTime: Join = (value, fragment, length, fragmentLength) =>
  value === null || fragment === null
    ? (value ?? fragment)
    : (value * length + fragment * fragmentLength) / (length + fragmentLength);

/** How columns are joined that are no rate, share or level. */
const JOINS: Readonly<Record<string, Join>> = {
  t_ns: latest,
  dt_ns: (value, fragment) => (value ?? 0) + (fragment ?? 0),
  phase: kept,
  rate_min_bytes_per_s: kept,
  rate_max_bytes_per_s: kept,
  lat_max_ns: greatest,
  oldest_ns: greatest,
};

/** Columns about the trial's operations; all others are about the time or the host. */
const OF_OPERATIONS = /^(rate_|ops_|lat_|oldest_|phase$)/;

/**
 * The samples as they are drawn: each fragment joined with the interval before it. What the host
 * did goes on from phase to phase; of operations, a fragment of another phase says nothing.
 */
export function joinedFragments(samples: Samples): Samples {
  const { t_ns: ends = [], dt_ns: lengths = [], phase = [] } = samples.columns;
  const isFragment = (index: number) =>
    index > 0 && (lengths[index] ?? 0) < samples.sample_ns * FRAGMENT;
  const fragments = [...ends.keys()].filter(isFragment);
  if (fragments.length === 0) return samples;
  const columns = Object.entries(samples.columns).map(([name, values]) => {
    const join = JOINS[name] ?? overTime;
    const ofOperations = OF_OPERATIONS.test(name);
    return [
      name,
      joined(values, fragments, lengths, (index) =>
        ofOperations && phase[index] !== phase[index - 1] ? kept : join,
      ),
    ];
  });
  return {
    ...samples,
    count: samples.count - fragments.length,
    columns: Object.fromEntries(columns),
  };
}

function joined(
  values: readonly Value[],
  fragments: readonly number[],
  lengths: readonly Value[],
  joinAt: (index: number) => Join,
): Value[] {
  const found = [...values];
  const taken = [...lengths].map((length) => length ?? 0);
  // From the end, so that fragments that follow one another gather in the first of them.
  for (const index of fragments.toReversed()) {
    const before = index - 1;
    const [length, more] = [taken[before] as number, taken[index] as number];
    found[before] = joinAt(index)(found[before] ?? null, found[index] ?? null, length, more);
    taken[before] = length + more;
    found.splice(index, 1);
    taken.splice(index, 1);
  }
  return found;
}
