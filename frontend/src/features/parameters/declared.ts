/** The parameters of every kind as the API declares them, as form fields. */
import DECLARED from "@/api/parameters.json";
import type { Test } from "@/api/shapes";
import { type Condition, type Declared, FORMATS, type ValueFormat } from "./formats";
import type { Parameter, ParameterGroup } from "./parameters";
import { type Bounds, isDuration } from "./parse";

type Kind = keyof typeof DECLARED.kinds;
type DeclaredGroup = { title: string; folded: boolean; parameters: Declared[] };

const KINDS = DECLARED.kinds as unknown as Record<
  Kind,
  { fixed: Declared[]; groups: DeclaredGroup[] }
>;

const everyOf = (kind: Kind): Declared[] => [
  ...KINDS[kind].fixed,
  ...KINDS[kind].groups.flatMap(({ parameters }) => parameters),
];

/** The bounds of how long a profile's probes continue without a follower, in milliseconds. */
export const WATCH_MS = DECLARED.profile.watch_ms as unknown as Bounds;

/** The bounds of every parameter of a kind that has some, by its name. */
export const boundsOf = (kind: Kind): Record<string, Bounds> =>
  Object.fromEntries(everyOf(kind).flatMap(({ name, bounds }) => (bounds ? [[name, bounds]] : [])));

/** The values that a test of a kind has if it does not say others. */
export const defaultsOf = (kind: Kind): Record<string, unknown> =>
  Object.fromEntries(
    everyOf(kind).flatMap((one) => (one.default === undefined ? [] : [[one.name, one.default]])),
  );

/** How a kind writes and reads the values of its own formats, and what else is special to it. */
export interface Special {
  formats?: Record<string, ValueFormat>;
  /** The value with which a run measured, by the parameter's name. */
  measured?: Record<string, Parameter["measured"]>;
  /** Fields that are no parameters, by the name of the one below them. */
  above?: Record<string, Parameter>;
}

/** The parameters of a kind, as its pages take them. */
export function parametersOfKind(
  kind: Kind,
  special: Special = {},
): { fixed: Parameter[]; groups: ParameterGroup[] } {
  const parameterOf = (declared: Declared) => asParameter(declared, special);
  return {
    fixed: KINDS[kind].fixed.map(parameterOf),
    groups: KINDS[kind].groups.map(({ title, folded, parameters }) => ({
      title,
      folded,
      parameters: parameters.flatMap((declared) => {
        const parameter = parameterOf(declared);
        const above = special.above?.[declared.name];
        return above ? [{ ...above, common: parameter.common }, parameter] : [parameter];
      }),
    })),
  };
}

function asParameter(declared: Declared, { formats = {}, measured = {} }: Special): Parameter {
  const { name, used, default: _, bounds, automatic, help, format: written, ...rest } = declared;
  const format = formats[written] ?? FORMATS[written]?.(declared);
  if (!format) throw new Error(`No form can write ${name}: its format is ${written}.`);
  return {
    name,
    ...rest,
    help: automatic ? `${help?.replace(/\.$/, "")}; auto ${automatic}` : help,
    several: written === "choices",
    text: (test) => format.text((test as Record<string, unknown>)[name]),
    parse: format.parse,
    understood: format.understood,
    used: used && ((test) => used.some((all) => all.every((one) => holds(one, test)))),
    measured:
      measured[name] ??
      (format.measured &&
        ((parameters) => format.measured?.((parameters as Record<string, unknown>)[name]) ?? null)),
  };
}

function holds({ name, values, none_of = [], is_duration }: Condition, test: Test): boolean {
  const value = (test as Record<string, unknown>)[name];
  if (is_duration !== undefined) return isDuration(value as string | number) === is_duration;
  const had = [value].flat() as (string | number)[];
  return (
    !had.some((one) => none_of.includes(one)) &&
    (values === undefined || had.some((one) => values.includes(one)))
  );
}
