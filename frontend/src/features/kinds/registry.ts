/** The test kinds, a line each. */

import { useQuery } from "@tanstack/react-query";
import type { RunSummary, Test } from "@/api/shapes";
import { type Parameter, type ParameterGroup, valueText } from "@/features/parameters/parameters";
import type { KindName, TestKind } from "./kind";
import { matrix } from "./matrix/kind";
import { path } from "./path/kind";
import { records } from "./records/kind";
import { sustained } from "./sustained/kind";
import { tool } from "./tool/kind";

const BY_NAME: { [K in KindName]: TestKind<K> } = {
  matrix,
  sustained,
  path,
  records,
  tool,
};

/** Every kind. */
export const KINDS = Object.values(BY_NAME) as TestKind[];

/** The kind of a test, a run or a result. */
export const kindOf = ({ kind }: { kind: string }): TestKind => {
  const found = KINDS.find(({ name }) => name === kind);
  if (!found) throw new Error(`This page does not know the test kind ${kind}. Reload it.`);
  return found;
};

/** All parameters of a kind that have a value. */
export const parametersOf = ({ fixed, groups }: TestKind): Parameter[] => [
  ...fixed,
  ...groups.flatMap(({ parameters }) => parameters).filter(({ fills }) => fills === undefined),
];

/** The kinds of these tests or runs, each once. */
export const kindsOf = (tests: readonly { kind: string }[]): TestKind[] => [
  ...new Set(tests.map(kindOf)),
];

/**
 * The parameters that a launch can override; what several kinds have is asked for once, and their
 * groups of the same title are one.
 */
export function groupsOf(kinds: readonly TestKind[]): ParameterGroup[] {
  const groups = new Map<string, ParameterGroup>();
  const seen = new Set<string>();
  const isNew = ({ name }: Parameter) => !seen.has(name) && seen.add(name).has(name);
  for (const group of kinds.flatMap((kind) => kind.groups)) {
    const known = groups.get(group.title)?.parameters ?? [];
    const parameters = [...known, ...group.parameters.filter(isNew)];
    if (parameters.length > 0) groups.set(group.title, { ...group, parameters });
  }
  return [...groups.values()];
}

/** What these tests have for a parameter: their values, once each. */
export function valuesOf(tests: readonly Test[], name: string): string {
  const values = tests.flatMap((test) => {
    const parameter = parametersOf(kindOf(test)).find((each) => each.name === name);
    return parameter ? [valueText(test, parameter)] : [];
  });
  return [...new Set(values)].join(" / ");
}

/** The tests of a profile with the values that replace theirs, each of the parameters that it has. */
export const changedTests = (
  tests: readonly Test[],
  values: Readonly<Record<string, unknown>>,
): Test[] =>
  tests.map((test) => {
    const own = parametersOf(kindOf(test)).filter(({ name }) => name in values);
    return { ...test, ...Object.fromEntries(own.map(({ name }) => [name, values[name]])) } as Test;
  });

/**
 * The groups without the parameters that none of these tests uses; those of `typed` stay, so that
 * what was typed can be removed.
 */
export function groupsInUse(
  groups: readonly ParameterGroup[],
  tests: readonly Test[],
  typed: ReadonlySet<string>,
): ParameterGroup[] {
  const isUsed = ({ name, fills }: Parameter) =>
    fills !== undefined ||
    tests.some((test) =>
      parametersOf(kindOf(test)).some((one) => one.name === name && (one.used?.(test) ?? true)),
    );
  return groups
    .map((group) => ({
      ...group,
      parameters: group.parameters.filter((one) => typed.has(one.name) || isUsed(one)),
    }))
    .filter(({ parameters }) => parameters.length > 0);
}

/**
 * Whether the code that shows these runs live is loaded: a page waits for it, so that nothing shifts
 * when it arrives. If it cannot be loaded, the part that needs it reports the error.
 */
export function useLiveCode(runs: readonly Pick<RunSummary, "kind">[]): boolean {
  const kinds = kindsOf(runs);
  const { isPending } = useQuery({
    queryKey: ["code", "live", kinds.map(({ name }) => name)],
    queryFn: () => Promise.all(kinds.map(async ({ Live }) => Live.preload?.() ?? null)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return kinds.length === 0 || !isPending;
}
