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
} from "./parse";

export type ParameterName = Exclude<keyof Test, "kind" | "title">;
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
        : { error: "Choose one of the list." },
  };
}

export const PARAMETERS: Parameter[] = [
  {
    name: "block",
    label: "Block sizes",
    help: "What one call writes or reads; a row of the matrix each.",
    group: "matrix",
    text: (test) => blocksText(test.block),
    parse: parseBlocks,
    understood: understoodBlocks,
  },
  {
    name: "threads",
    label: "Threads",
    help: "Writers or readers at once; a column of the matrix each.",
    group: "matrix",
    text: (test) => test.threads.join(", "),
    parse: (text) => parseCounts(text, 1, 256),
  },
  {
    name: "file_size",
    label: "File size",
    help: "Of each file. May use ram, free, cpus and rate: 2 * ram outgrows the page cache.",
    group: "matrix",
    text: (test) => fileSizeText(test.file_size),
    parse: parseFileSize,
    understood: understoodFileSize,
  },
  {
    name: "files",
    label: "Files at once",
    help: "Never more than the threads; several threads share a file block by block.",
    group: "matrix",
    text: (test) => String(test.files),
    parse: (text) => parseCount(text, 1, 256),
  },
  {
    name: "repeats",
    label: "Repeats",
    help: "Passes over the whole matrix. One cannot tell noise from difference; five can.",
    group: "matrix",
    text: (test) => String(test.repeats),
    parse: (text) => parseCount(text, 1, 100),
  },
  choice(
    "cache",
    {
      label: "Cache",
      help: "Direct bypasses the host's page cache. Where it is refused, the test fails and says so.",
      group: "path",
    },
    [
      { value: "page", label: "Page cache" },
      { value: "direct", label: "Direct (O_DIRECT)" },
      { value: "direct_if_real", label: "Direct where it is real, else page cache" },
    ],
  ),
  choice(
    "open_mode",
    {
      label: "Open mode",
      help: "Whether each write waits for the medium.",
      group: "path",
    },
    [
      { value: "rw", label: "rw: writes return at once" },
      { value: "rwd", label: "rwd: each waits for its data" },
      { value: "rws", label: "rws: each waits for data and metadata" },
    ],
  ),
  choice(
    "layout",
    {
      label: "Layout",
      help: "Whether files grow, are allocated before, or are written over.",
      group: "path",
    },
    [
      { value: "fresh", label: "Fresh: the file grows" },
      { value: "preallocated", label: "Preallocated" },
      { value: "overwrite", label: "Overwrite what is there" },
    ],
  ),
  {
    name: "timeout_ms",
    label: "Time limit",
    help: "Of each trial's writing or reading. What was done until then counts.",
    group: "advanced",
    text: (test) => spanText(test.timeout_ms),
    parse: (text) => parseSpan(text, 100, 100 * HOUR),
  },
  {
    name: "sync_timeout_ms",
    label: "Sync limit",
    help: "Of the final sync. Past it the durable rate is a bound, and said to be.",
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
      help: "Shuffled, so that drift does not look like a parameter. The order is recorded.",
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
