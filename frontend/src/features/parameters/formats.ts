/** How people write the values of parameters: a row per format of the API's declarations. */
import { formatBytes, formatRate } from "@/components/quantities";
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

const RATE = /^(\d+(?:\.\d+)?)\s*([kKMGT]?)(i?)(B|b)\/s$/;
const PREFIXES: Record<string, number> = { "": 0, k: 1, K: 1, M: 2, G: 3, T: 4 };

/** A list of rates: "125 MB/s, 10 Gb/s"; a plain number is bytes per second. */
export function parseRates(text: string, [least, most]: Bounds): Parsed<number[]> {
  const entries = text
    .split(/[,;]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (entries.length === 0) return { error: "Enter at least one rate, such as 125 MB/s." };
  const rates: number[] = [];
  for (const entry of entries) {
    const rate = rateOf(entry);
    if (rate === null || rate < least || rate > most) {
      return { error: `${entry} is not a rate such as 125 MB/s or 10 Gb/s.` };
    }
    if (rates.includes(rate)) return { error: `${entry} appears more than once.` };
    rates.push(rate);
  }
  return { value: rates };
}

/** A rate: "125 MB/s". */
function parseRate(text: string, bounds: Bounds): Parsed<number> {
  const parsed = parseRates(text, bounds);
  if ("error" in parsed) return parsed;
  const [rate, ...others] = parsed.value;
  if (rate === undefined || others.length > 0)
    return { error: "Enter one rate, such as 125 MB/s." };
  return { value: rate };
}

function rateOf(entry: string): number | null {
  if (/^\d+$/.test(entry)) return Number(entry);
  const match = RATE.exec(entry);
  if (!match) return null;
  const base = match[3] ? 1024 : 1000;
  const factor = base ** (PREFIXES[match[2] ?? ""] ?? 0) / (match[4] === "b" ? 8 : 1);
  return Math.round(Number(match[1]) * factor);
}

/** Rates as text that `parseRates` reads back. */
export const ratesText = (rates: readonly number[]): string =>
  rates.map((rate) => (rate % 1e4 === 0 ? `${rate / 1e6} MB/s` : `${rate} B/s`)).join(", ");

/** The rates in their best unit, as understood from a text: "= 125 MB/s; 1.25 GB/s". */
const understoodRates =
  (bounds: Bounds) =>
  (text: string): string | null => {
    const parsed = parseRates(text, bounds);
    if ("error" in parsed) return null;
    return `= ${parsed.value.map((rate) => formatRate(rate, "MB/s")).join("; ")}`;
  };

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
  /** A row of `FORMATS`, or a format of the kind's own. */
  format: string;
  choices?: Choice[];
  /** A test uses it if all conditions of one of these alternatives hold. */
  used?: Condition[][];
  wide?: true;
  /** Launches often change it. */
  common?: true;
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

function requiredBounds({ name, bounds }: Declared): Bounds {
  if (!bounds) throw new Error(`${name} has no bounds.`);
  return bounds;
}

/** A format of numbers within the parameter's bounds. */
const numbers =
  (text: (value: never) => string, parse: (text: string, bounds: Bounds) => Parsed<unknown>) =>
  (declared: Declared): ValueFormat => {
    const bounds = requiredBounds(declared);
    const format: ValueFormat = {
      text: (value) => (value === undefined ? "" : text(value as never)),
      parse: (typed) => parse(typed, bounds),
    };
    return declared.automatic ? automatic(0, format) : format;
  };

const CPUS = /^(card|node:\d{1,4}|\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*)$/;
const NAME = /^[a-z0-9_-]{1,15}$/;
const IP_ADDRESS = /^[0-9a-f:.]{2,45}$/i;

/**
 * A format of a word of a pattern, as `read` takes it from a text; `such` says what may be entered.
 * Beside "auto", `also` leaves the choice to the host, where that is possible.
 */
const word =
  (pattern: RegExp, such: string, read = (text: string) => text.trim(), also = "0") =>
  (declared: Declared): ValueFormat => {
    const error = `Enter ${such}${declared.automatic ? ", or auto" : ""}.`;
    const format: ValueFormat = {
      text: (value) => String(value ?? ""),
      parse: (text) => {
        const value = read(text);
        return pattern.test(value) ? { value } : { error };
      },
    };
    return declared.automatic ? automatic(null, format, also) : format;
  };

/** A format of which only the server knows the value. */
const expressions = (parse: (text: string) => Parsed<number | string>) => (): ValueFormat => ({
  text: (value) => fileSizeText((value ?? 0) as number | string),
  parse,
  understood: understoodFileSize,
  measured: (value) => (typeof value === "number" ? formatBytes(value) : null),
});

const isKnown = (choices: readonly Choice[], text: string): boolean =>
  choices.some(({ value }) => value === text);

/** A format of one of the choices; `text` is that of a value, and `value` that of a text. */
const choice =
  (text: (value: unknown) => string, value: (text: string) => unknown) =>
  ({ choices = [] }: Declared): ValueFormat => ({
    text,
    parse: (chosen) =>
      isKnown(choices, chosen)
        ? { value: value(chosen) }
        : { error: "Select a value from the list." },
  });

/** The formats of every kind; a kind adds those that only it has. */
export const FORMATS: Record<string, (declared: Declared) => ValueFormat> = {
  address: word(IP_ADDRESS, "an IP address such as 192.0.2.7"),
  choice: choice(
    (value) => String(value ?? ""),
    (text) => text,
  ),
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
  // 0 is a CPU
  cpus: word(
    CPUS,
    "CPUs such as 0-3,8, a node such as node:0, card",
    (text) => text.replaceAll(/\s/g, "").toLowerCase(),
    AUTOMATIC,
  ),
  duration_ms: numbers(spanText, parseSpan),
  duration_ns: numbers(nanosecondsText, parseNanoseconds),
  durations_ms: numbers((values: number[]) => values.map(spanText).join(", "), parseSpans),
  expression: expressions(parseFileSize),
  length: expressions(parseLength),
  name: word(NAME, "a name such as cubic"),
  rate: (declared) => ({
    ...numbers((value: number) => ratesText([value]), parseRate)(declared),
    understood: declared.automatic ? undefined : understoodRates(requiredBounds(declared)),
  }),
  rates: (declared) => ({
    ...numbers(ratesText, parseRates)(declared),
    understood: understoodRates(requiredBounds(declared)),
  }),
  size: numbers(sizeText, parseSize),
  sizes: (declared) => ({
    ...numbers(blocksText, parseBlocks)(declared),
    understood: (text) => understoodBlocks(text, requiredBounds(declared)),
  }),
  switch: choice(
    (value) => (value ? "yes" : "no"),
    (text) => text === "yes",
  ),
};
