/** How people write the values of parameters: one row per format of the API's declarations. */
import { formatBytes } from "@/components/quantities";
import { type Choice, listed } from "./parameters";
import {
  type Bounds,
  blocksText,
  fileSizeText,
  nanosecondsText,
  type Parsed,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
  parseLength,
  parseNanoseconds,
  parseSize,
  parseSpan,
  parseSpans,
  sizeText,
  spanText,
  understoodBlocks,
  understoodFileSize,
} from "./parse";
import { parseRate, parseRates, ratesText, understoodRates } from "./rates";

export type Format =
  | "address"
  | "choice"
  | "choices"
  | "count"
  | "counts"
  | "cpus"
  | "duration_ms"
  | "duration_ns"
  | "durations_ms"
  | "expression"
  | "legs"
  | "length"
  | "name"
  | "rate"
  | "rates"
  | "size"
  | "sizes"
  | "switch"
  | "tools";

/** On another parameter: that it has one of the values (of a list: contains one), or none. */
export type Condition = {
  name: string;
  values?: (string | number)[];
  none_of?: (string | number)[];
  is_duration?: boolean;
};

/** A parameter as `api/parameters.json` has it. */
export type Declared = {
  name: string;
  label: string;
  help?: string;
  format: Format;
  choices?: Choice[];
  /** A test uses it if all conditions of one of these alternatives hold. */
  used?: Condition[][];
  wide?: true;
  /** What "auto" does: 0, or null for text, with which the host chooses. */
  automatic?: string;
  /** The least and the highest value, or of each value of a list. */
  bounds?: Bounds;
  default?: unknown;
};

/** A value as text, and back. */
export interface ValueFormat {
  text(value: unknown): string;
  parse(text: string): Parsed<unknown>;
  /** The value with its unit, as understood from the text: "= 1,024 B". */
  understood?(text: string): string | null;
  /** The value of a run, where a test's own may be an expression. */
  measured?(value: unknown): string | null;
}

/** What a field contains that leaves the choice to the host. */
const AUTOMATIC = "auto";

/** A format of a parameter whose values are `none` where the host chooses; `also` is read as that. */
function automatic(none: 0 | null, format: ValueFormat, also = "0"): ValueFormat {
  const isNone = (text: string) => [AUTOMATIC, also].includes(text.trim().toLowerCase());
  return {
    ...format,
    text: (value) => (value ? format.text(value) : AUTOMATIC),
    parse: (text) => (isNone(text) ? { value: none } : format.parse(text)),
  };
}

function boundsOf({ name, bounds }: Declared): Bounds {
  if (!bounds) throw new Error(`${name} has no bounds.`);
  return bounds;
}

/** A format of numbers within the parameter's bounds. */
const numbers =
  (text: (value: never) => string, parse: (text: string, bounds: Bounds) => Parsed<unknown>) =>
  (declared: Declared): ValueFormat => {
    const bounds = boundsOf(declared);
    const format: ValueFormat = {
      text: (value) => (value === undefined ? "" : text(value as never)),
      parse: (typed) => parse(typed, bounds),
    };
    return declared.automatic ? automatic(0, format) : format;
  };

const CPUS = /^(card|node:\d{1,4}|\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*)$/;
const NAME = /^[a-z0-9_-]{1,15}$/;
const IP_ADDRESS = /^[0-9a-f:.]{2,45}$/i;

/** A format of a word of a pattern; `such` says what may be entered. */
const word =
  (pattern: RegExp, such: string) =>
  (declared: Declared): ValueFormat => {
    const error = `Enter ${such}${declared.automatic ? ", or auto" : ""}.`;
    const format: ValueFormat = {
      text: (value) => String(value ?? ""),
      parse: (text) => {
        const value = text.trim();
        return pattern.test(value) ? { value } : { error };
      },
    };
    return declared.automatic ? automatic(null, format) : format;
  };

/** CPUs as the kernel lists them, a NUMA node, or the card's; 0 is a CPU. */
function cpus(declared: Declared): ValueFormat {
  const error = "Enter CPUs such as 0-3,8, a node such as node:0, card, or auto.";
  const format: ValueFormat = {
    text: (value) => String(value ?? ""),
    parse: (text) => {
      const value = text.replaceAll(/\s/g, "").toLowerCase();
      return CPUS.test(value) ? { value } : { error };
    },
  };
  return declared.automatic ? automatic(null, format, AUTOMATIC) : format;
}

/** A format of which only the server knows the value. */
const expressions = (parse: (text: string) => Parsed<number | string>) => (): ValueFormat => ({
  text: (value) => fileSizeText((value ?? 0) as number | string),
  parse,
  understood: understoodFileSize,
  measured: (value) => (typeof value === "number" ? formatBytes(value) : null),
});

const isKnown = (choices: readonly Choice[], text: string): boolean =>
  choices.some(({ value }) => value === text);

/** The formats of every kind; a kind adds those that only it has. */
export const FORMATS: Partial<Record<Format, (declared: Declared) => ValueFormat>> = {
  address: word(IP_ADDRESS, "an IP address such as 192.0.2.7"),
  choice: ({ choices = [] }) => ({
    text: (value) => String(value ?? ""),
    parse: (text) =>
      isKnown(choices, text) ? { value: text } : { error: "Select a value from the list." },
  }),
  // a single one is a word, as which kinds without such a list have it, too
  choices: ({ choices = [] }) => ({
    text: (value) => [value ?? []].flat().join(", "),
    parse: (text) => {
      const chosen = listed(text);
      return chosen.length > 0 && chosen.every((one) => isKnown(choices, one))
        ? { value: chosen.length > 1 ? chosen : chosen[0] }
        : { error: "Select values from the list." };
    },
  }),
  count: numbers(String, parseCount),
  counts: numbers((values: number[]) => values.join(", "), parseCounts),
  cpus,
  duration_ms: numbers(spanText, parseSpan),
  duration_ns: numbers(nanosecondsText, parseNanoseconds),
  durations_ms: numbers((values: number[]) => values.map(spanText).join(", "), parseSpans),
  expression: expressions(parseFileSize),
  length: expressions(parseLength),
  name: word(NAME, "a name such as cubic"),
  rate: (declared) => ({
    ...numbers((value: number) => ratesText([value]), parseRate)(declared),
    understood: declared.automatic ? undefined : understoodRates(boundsOf(declared)),
  }),
  rates: (declared) => ({
    ...numbers(ratesText, parseRates)(declared),
    understood: understoodRates(boundsOf(declared)),
  }),
  size: numbers(sizeText, parseSize),
  sizes: (declared) => ({
    ...numbers(blocksText, parseBlocks)(declared),
    understood: (text) => understoodBlocks(text, boundsOf(declared)),
  }),
  switch: () => ({
    text: (value) => (value ? "yes" : "no"),
    parse: (text) =>
      text === "yes" || text === "no"
        ? { value: text === "yes" }
        : { error: "Select a value from the list." },
  }),
};
