/** A test's parameters as form fields: one table per test kind, for the launch page and the profile editor. */
import type { RunParameters, Test } from "@/api/shapes";
import type { Parsed } from "./parse";

/** What is typed, by the parameter's name. */
export type Texts = Record<string, string | undefined>;

/** A value that can be selected; `note` is what it means where the label does not say it. */
export type Choice = { value: string; label: string; note?: string };

/** One parameter of a test of type `T`. */
export interface Parameter<T = Test> {
  name: string;
  label: string;
  help?: string;
  choices?: Choice[];
  /** Takes several of the choices, one cell each; its text lists them. */
  several?: boolean;
  /** Takes two columns, because its list is long. */
  wide?: boolean;
  /** Launches often change it: a form with few fields shows it. */
  common?: boolean;
  text(test: T): string;
  parse(text: string): Parsed<unknown>;
  /** The value with its unit, as understood from the text: "= 1,024 B". */
  understood?(text: string): string | null;
  /** A choice that is no value of its own: it fills these fields. */
  fills?(text: string): Texts;
  /** Whether a test uses the value, where that depends on another parameter. */
  used?(test: T): boolean;
  /** The value with which a run measured, where the test's own may be an expression. */
  measured?(parameters: RunParameters): string | null;
}

export interface ParameterGroup<T = Test> {
  title: string;
  /** What is seldom changed is folded. */
  folded?: boolean;
  parameters: Parameter<T>[];
}

export const parametersIn = (groups: readonly ParameterGroup[]): Parameter[] =>
  groups.flatMap(({ parameters }) => parameters);

/** Every parameter of a test as text. */
export function textsOf(parameters: readonly Parameter[], test: Test): Texts {
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.text(test)]));
}

/** A parameter's value in a test: the label of a choice, else its text. */
export function valueText(test: Test, parameter: Parameter): string {
  const value = parameter.text(test);
  const labelOf = (one: string) =>
    parameter.choices?.find((each) => each.value === one)?.label ?? one;
  const words = parameter.several ? listed(value).map(labelOf).join(", ") : labelOf(value);
  return words.replace(/(\d) (?=[a-z])/gi, "$1\u00a0"); // a figure and its unit share a line
}

/** The entries of a list as it is typed. */
export const listed = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** Reads the fields that have text; an empty one says nothing. */
export function readTexts(parameters: readonly Parameter[], texts: Texts) {
  const values: Record<string, unknown> = {};
  const errors: Texts = {};
  for (const parameter of parameters) {
    const { name } = parameter;
    const text = texts[name];
    if (text === undefined || text.trim() === "") continue;
    const parsed = parameter.parse(text);
    if ("error" in parsed) errors[name] = parsed.error;
    else values[name] = parsed.value;
  }
  return { values, errors };
}

/** The server's messages by parameter: "overrides.block.0" and "tests.1.block" both refer to block. */
export function byParameter(
  parameters: readonly Parameter[],
  fields: Record<string, string>,
): Texts {
  const errors: Texts = {};
  for (const [field, message] of Object.entries(fields)) {
    const parts = field.split(".");
    const found = parameters.find(({ name }) => parts.includes(name));
    if (found) errors[found.name] ??= message;
  }
  return errors;
}

/** What a request changes in the tests of its profile: "File size 4.00 MB". */
export function overrideWords(
  overrides: Readonly<Record<string, unknown>>,
  parameters: readonly Parameter[],
): string[] {
  return Object.entries(overrides)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const parameter = parameters.find((one) => one.name === name);
      if (!parameter) return `${name} ${String(value)}`;
      return `${parameter.label} ${valueText({ [name]: value } as unknown as Test, parameter)}`;
    });
}

/** How many parameters a form shows before "more", unless more of them are changed. */
const MOST_FIRST = 8;

/**
 * The names of the parameters that a form shows first: those that it opens with a text for, then
 * those that launches often change.
 */
export function shownFirst(groups: readonly ParameterGroup[], opened: Texts): Set<string> {
  const all = parametersIn(groups);
  const changed = all.filter(({ name }) => opened[name]?.trim());
  const common = all.filter((one) => one.common && !changed.includes(one));
  const room = Math.max(0, MOST_FIRST - changed.length);
  return new Set([...changed, ...common.slice(0, room)].map(({ name }) => name));
}
