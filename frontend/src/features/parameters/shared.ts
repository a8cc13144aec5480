/** Parameters that tests of several kinds have, and how a choice becomes one. */
import { BOUNDS } from "@/api/bounds";
import { type Choice, listed, type Parameter } from "./parameters";
import { parseCount, parseSpan, spanText } from "./parse";

const SAMPLING = BOUNDS.matrix.sample_ms;

/** A parameter whose value is one of a few words. */
export function choice<Name extends string>(
  name: Name,
  rest: Pick<Parameter, "label" | "help">,
  choices: Choice[],
): Parameter<{ [N in Name]?: string }> {
  return {
    name,
    ...rest,
    choices,
    text: (test) => test[name] ?? "",
    parse: (text) =>
      choices.some(({ value }) => value === text)
        ? { value: text }
        : { error: "Select a value from the list." },
  };
}

/**
 * A parameter whose value is a list of a few words, one cell each. A single one is a word, as which
 * kinds without such a list have it, too.
 */
export function choices<Name extends string>(
  name: Name,
  rest: Pick<Parameter, "label" | "help">,
  all: Choice[],
): Parameter<{ [N in Name]?: string | readonly string[] }> {
  return {
    name,
    ...rest,
    choices: all,
    several: true,
    text: (test) => [test[name] ?? []].flat().join(", "),
    parse: (text) => {
      const chosen = listed(text);
      const isKnown = chosen.every((one) => all.some(({ value }) => value === one));
      return isKnown && chosen.length > 0
        ? { value: chosen.length > 1 ? chosen : chosen[0] }
        : { error: "Select values from the list." };
    },
  };
}

/** A launch does not override it. */
export const OPERATION = choice("operation", { label: "Operation" }, [
  { value: "write", label: "Write" },
  { value: "read", label: "Read" },
]);

export const CACHE = choice(
  "cache",
  {
    label: "Cache",
    help: "Direct I/O bypasses the page cache. The test fails if the file system does not support it.",
  },
  [
    { value: "page", label: "Page cache" },
    { value: "direct", label: "Direct (O_DIRECT)" },
    { value: "direct_if_real", label: "Direct, else page cache" },
  ],
);

export const TIME_LIMIT: Parameter<{ timeout_ms?: number }> = {
  name: "timeout_ms",
  label: "Time limit",
  help: "Per trial, without the final sync. Data transferred by then counts.",
  text: (test) => spanText(test.timeout_ms ?? 0),
  parse: (text) => parseSpan(text, ...BOUNDS.matrix.timeout_ms),
};

export const SYNC_LIMIT: Parameter<{ sync_timeout_ms?: number }> = {
  name: "sync_timeout_ms",
  label: "Sync limit",
  help: "For the final sync. If exceeded, the durable rate is reported as an upper bound.",
  text: (test) => spanText(test.sync_timeout_ms ?? 0),
  parse: (text) => parseSpan(text, ...BOUNDS.matrix.sync_timeout_ms),
};

export const REPEATS: Parameter<{ repeats?: number }> = {
  name: "repeats",
  label: "Repeats",
  help: "Trials of each cell. Use five or more to tell differences from noise.",
  text: ({ repeats }) => String(repeats),
  parse: (text) => parseCount(text, ...BOUNDS.matrix.repeats),
};

export const SAMPLING_INTERVAL: Parameter<{ sample_ms?: number }> = {
  name: "sample_ms",
  label: "Sampling interval",
  help: `From ${SAMPLING.map(spanText).join(" to ")}.`,
  text: (test) => spanText(test.sample_ms ?? 0),
  parse: (text) => parseSpan(text, ...SAMPLING),
};

export const ORDER = choice(
  "order",
  {
    label: "Order",
    help: "Shuffling keeps drift from looking like an effect of a parameter. The order is recorded.",
  },
  [
    { value: "shuffled", label: "Shuffled" },
    { value: "given", label: "As given" },
  ],
);
