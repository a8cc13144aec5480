import type { Operation, Profile, Test } from "@/api/shapes";
import {
  byParameter,
  PARAMETERS,
  readTexts,
  type Texts,
  textsOf,
} from "@/features/kinds/matrix/parameters";
import { parseSpan, spanText } from "@/features/parameters/parse";

/** A test while it is edited. `key` keeps its place on the page when others go. */
export type TestDraft = { key: number; operation: Operation; title: string; texts: Texts };

export type ProfileDraft = {
  name: string;
  description: string;
  watch: string;
  tests: TestDraft[];
};

const SHORTEST_WATCH_MS = 10_000;
const LONGEST_WATCH_MS = 3_600_000_000;

export const draftOf = ({ name, description, body }: Profile): ProfileDraft => ({
  name,
  description,
  watch: spanText(body.watch_ms),
  tests: body.tests.map((test, key) => ({
    key,
    operation: test.operation,
    title: test.title,
    texts: textsOf(test),
  })),
});

/** A copy of the last test, as the start of a new one. */
export function withAnotherTest(draft: ProfileDraft): ProfileDraft {
  const last = draft.tests.at(-1);
  if (!last) return draft;
  const key = Math.max(...draft.tests.map((test) => test.key)) + 1;
  return { ...draft, tests: [...draft.tests, { ...last, key, title: `${last.title} 2` }] };
}

export type DraftErrors = { watch?: string; tests: Texts[] };

/** The draft as the API takes it, or what is wrong, field by field. */
export function readDraft(draft: ProfileDraft) {
  const watch = parseSpan(draft.watch, SHORTEST_WATCH_MS, LONGEST_WATCH_MS);
  const read = draft.tests.map(({ texts }) => readTexts(texts));
  const tests = read.map(({ errors }, i) => ({ ...missing(draft.tests[i]?.texts), ...errors }));
  const errors: DraftErrors = { watch: "error" in watch ? watch.error : undefined, tests };
  if ("error" in watch || tests.some((each) => Object.keys(each).length > 0)) {
    return { errors, body: null };
  }
  const body = {
    name: draft.name,
    description: draft.description,
    body: {
      watch_ms: watch.value,
      tests: read.map(({ values }, i) => ({
        kind: "matrix",
        operation: draft.tests[i]?.operation ?? "write",
        title: draft.tests[i]?.title ?? "",
        ...values,
      })) as Test[],
    },
  };
  return { errors, body };
}

const missing = (texts: Texts = {}): Texts =>
  Object.fromEntries(
    PARAMETERS.filter(({ name }) => !texts[name]?.trim()).map(({ name }) => [
      name,
      "Enter a value.",
    ]),
  );

/** The server's remarks on one test: "body.tests.1.block" belongs to the second. */
export function remarksOn(fields: Record<string, string>, test: number): Texts {
  const own = Object.entries(fields).filter(([field]) => field.includes(`tests.${test}`));
  return byParameter(Object.fromEntries(own));
}
