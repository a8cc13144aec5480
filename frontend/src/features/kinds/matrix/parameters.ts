/** A test's parameters as form fields: one table for the launch page and the profile editor. */
import type { Test } from "@/api/shapes";
import {
  blocksText,
  fileSizeText,
  type Parsed,
  parseBlocks,
  parseCount,
  parseCounts,
  parseFileSize,
  parseSpan,
  spanText,
  understoodBlocks,
  understoodFileSize,
} from "@/features/parameters/parse";

export type ParameterName = Exclude<keyof Test, "kind" | "operation" | "title">;
export type Texts = Partial<Record<ParameterName, string>>;
export type Overrides = Partial<Pick<Test, ParameterName>>;

type Choice = { value: string; label: string };

export type Parameter = {
  name: ParameterName;
  label: string;
  help: string;
  group: "matrix" | "path" | "advanced";
  choices?: Choice[];
  text: (test: Test) => string;
  parse: (text: string) => Parsed<Test[ParameterName]>;
  /** The value with its unit, as understood from the text: "= 1,024 B". */
  understood?: (text: string) => string | null;
};

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** A parameter whose value is one of a few words. */
function choice(
  name: "layout" | "cache" | "open_mode" | "order",
  rest: Pick<Parameter, "label" | "help" | "group">,
  choices: Choice[],
): Parameter {
  return {
    name,
    ...rest,
    choices,
    text: (test) => test[name],
    parse: (text) =>
      choices.some(({ value }) => value === text)
        ? { value: text as Test[typeof name] }
        : { error: "Select a value from the list." },
  };
}

export const PARAMETERS: Parameter[] = [
  {
    name: "block",
    label: "Block sizes",
    help: "I/O size; one row per value.",
    group: "matrix",
    text: (test) => blocksText(test.block),
    parse: parseBlocks,
    understood: understoodBlocks,
  },
  {
    name: "threads",
    label: "Threads",
    help: "Concurrent writers or readers; one column per value.",
    group: "matrix",
    text: (test) => test.threads.join(", "),
    parse: (text) => parseCounts(text, 1, 256),
  },
  {
    name: "file_size",
    label: "File size",
    help: "Size of each file, or an expression of ram, free, cpus and rate: 2 * ram exceeds the page cache.",
    group: "matrix",
    text: (test) => fileSizeText(test.file_size),
    parse: parseFileSize,
    understood: understoodFileSize,
  },
  {
    name: "files",
    label: "Concurrent files",
    help: "At most one per thread; threads that share a file alternate block by block.",
    group: "matrix",
    text: (test) => String(test.files),
    parse: (text) => parseCount(text, 1, 256),
  },
  {
    name: "repeats",
    label: "Repeats",
    help: "Passes over the whole matrix. Use five or more to tell differences from noise.",
    group: "matrix",
    text: (test) => String(test.repeats),
    parse: (text) => parseCount(text, 1, 100),
  },
  choice(
    "cache",
    {
      label: "Cache",
      help: "Direct I/O bypasses the page cache. The test fails if the file system does not support it.",
      group: "path",
    },
    [
      { value: "page", label: "Page cache" },
      { value: "direct", label: "Direct (O_DIRECT)" },
      { value: "direct_if_real", label: "Direct if supported, else page cache" },
    ],
  ),
  choice(
    "open_mode",
    {
      label: "Open mode",
      help: "Sync behavior of each write.",
      group: "path",
    },
    [
      { value: "rw", label: "rw: no sync" },
      { value: "rwd", label: "rwd: sync data (O_DSYNC)" },
      { value: "rws", label: "rws: sync data and metadata (O_SYNC)" },
    ],
  ),
  choice(
    "layout",
    {
      label: "Layout",
      help: "Grow, preallocate or overwrite.",
      group: "path",
    },
    [
      { value: "fresh", label: "Fresh: grow a new file" },
      { value: "preallocated", label: "Preallocated" },
      { value: "overwrite", label: "Overwrite existing data" },
    ],
  ),
  {
    name: "timeout_ms",
    label: "Time limit",
    help: "Per trial, without the final sync. Data transferred by then counts.",
    group: "advanced",
    text: (test) => spanText(test.timeout_ms),
    parse: (text) => parseSpan(text, 100, 100 * HOUR),
  },
  {
    name: "sync_timeout_ms",
    label: "Sync limit",
    help: "For the final sync. If exceeded, the durable rate is reported as an upper bound.",
    group: "advanced",
    text: (test) => spanText(test.sync_timeout_ms),
    parse: (text) => parseSpan(text, 100, 100 * HOUR),
  },
  {
    name: "sample_ms",
    label: "Sampling interval",
    help: "From 100 ms to 60 s.",
    group: "advanced",
    text: (test) => spanText(test.sample_ms),
    parse: (text) => parseSpan(text, 100, 60 * SECOND),
  },
  choice(
    "order",
    {
      label: "Order",
      help: "Shuffling keeps drift from looking like an effect of a parameter. The order is recorded.",
      group: "advanced",
    },
    [
      { value: "shuffled", label: "Shuffled" },
      { value: "given", label: "As given" },
    ],
  ),
];

/** Every parameter of a test as text. */
export function textsOf(test: Test): Texts {
  return Object.fromEntries(PARAMETERS.map(({ name, text }) => [name, text(test)]));
}

/** What the tests of a profile have for a parameter: their values, once each. */
export function valuesOf(tests: Test[], { text, choices }: Parameter): string {
  const label = (value: string) =>
    choices?.find((each) => each.value === value)?.label.split(":")[0] ?? value;
  const joined = [...new Set(tests.map(text))].map(label).join(" / ");
  return joined.replace(/(\d) (?=[a-z])/gi, "$1\u00a0"); // a figure and its unit share a line
}

/** Reads the fields that have text; an empty one says nothing. */
export function readTexts(texts: Texts): { values: Overrides; errors: Texts } {
  const values: Record<string, unknown> = {};
  const errors: Texts = {};
  for (const { name, parse } of PARAMETERS) {
    const text = texts[name];
    if (text === undefined || text.trim() === "") continue;
    const parsed = parse(text);
    if ("error" in parsed) errors[name] = parsed.error;
    else values[name] = parsed.value;
  }
  return { values: values as Overrides, errors };
}

/** The server's messages by parameter: "overrides.block.0" and "tests.1.block" both speak of block. */
export function byParameter(fields: Record<string, string>): Texts {
  const errors: Texts = {};
  for (const [field, message] of Object.entries(fields)) {
    const parts = field.split(".");
    const found = PARAMETERS.find(({ name }) => parts.includes(name));
    if (found) errors[found.name] ??= message;
  }
  return errors;
}
