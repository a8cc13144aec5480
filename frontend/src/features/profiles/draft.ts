import type { Criterion, Profile, Test } from "@/api/shapes";
import type { KindName, TestKind } from "@/features/kinds/kind";
import { kindOf, parametersOf } from "@/features/kinds/registry";
import { WATCH_MS } from "@/features/parameters/declared";
import {
  byParameter,
  type Parameter,
  readTexts,
  type Texts,
  textsOf,
} from "@/features/parameters/parameters";
import { parseSpan, spanText } from "@/features/parameters/parse";

/** A test while it is edited. `key` keeps its place on the page when others go. */
export type TestDraft = { key: number; kind: KindName; title: string; texts: Texts };

export type ProfileDraft = {
  name: string;
  description: string;
  watch: string;
  tests: TestDraft[];
  criteria: Criterion[];
};

export const draftOf = ({ name, description, body }: Profile): ProfileDraft => ({
  name,
  description,
  watch: body.watch_ms == null ? "" : spanText(body.watch_ms),
  tests: body.tests.map((test, key) => ({
    key,
    ...draftOfTest(test),
  })),
  criteria: body.criteria ?? [],
});

const draftOfTest = (test: Test): Omit<TestDraft, "key"> => ({
  kind: test.kind,
  title: test.title,
  texts: textsOf(parametersOf(kindOf(test)), test),
});

/** The same test as one of another kind, which starts with that kind's values. */
export const withKind = (draft: TestDraft, kind: TestKind): TestDraft => ({
  ...draft,
  ...draftOfTest(kind.initial),
  title: draft.title,
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
  const watch = parseSpan(draft.watch, WATCH_MS);
  const read = draft.tests.map((test) => {
    const parameters = parametersOf(kindOf(test));
    const { values, errors } = readTexts(parameters, test.texts);
    return { test, values, errors: { ...missing(parameters, test.texts), ...errors } };
  });
  const tests = read.map(({ errors }) => errors);
  const errors: DraftErrors = { watch: "error" in watch ? watch.error : undefined, tests };
  if ("error" in watch || tests.some((each) => Object.keys(each).length > 0)) {
    return { errors, body: null };
  }
  const body = {
    name: draft.name,
    description: draft.description,
    body: {
      watch_ms: watch.value,
      tests: read.map(({ test: { kind, title }, values }) => ({
        kind,
        title,
        ...values,
      })) as unknown as Test[],
      criteria: draft.criteria.filter(({ criterion }) => criterion.trim()),
    },
  };
  return { errors, body };
}

const missing = (parameters: readonly Parameter[], texts: Texts): Texts =>
  Object.fromEntries(
    parameters
      .filter(({ name }) => !texts[name]?.trim())
      .map(({ name }) => [name, "Enter a value."]),
  );

/** The server's remarks on one test: "body.tests.1.block" belongs to the second. */
export function remarksOn(kind: TestKind, fields: Record<string, string>, test: number): Texts {
  const own = Object.entries(fields).filter(([field]) => field.includes(`tests.${test}`));
  return byParameter(parametersOf(kind), Object.fromEntries(own));
}
