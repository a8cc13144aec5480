/**
 * The launch form as the search parameters of its page, so that a link opens the same form. Besides
 * the form's own fields they have the text of each parameter's field, under the parameter's name.
 */

import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Campaign, Criterion, Plan, Profile, Test } from "@/api/shapes";
import { labelValues } from "@/components/labels/Labels";
import type { TestKind } from "@/features/kinds/kind";
import { groupsOf, KINDS, kindsOf } from "@/features/kinds/registry";
import { parametersIn, type Texts } from "@/features/parameters/parameters";
import { type Arrangement, type End, endKey } from "@/features/transfers/ends";
import { type Draft, type Execution, givenCriteria } from "./plan";
import { PURPOSES } from "./purposes";

type LinkTexts = Record<string, string | undefined>;

/** What a link says about the form's own fields that is impossible, by field. */
export type Remarks = { [field: string]: string };

export const EMPTY: Draft = {
  name: "",
  question: null,
  profileId: null,
  purpose: null,
  tests: [],
  targetIds: [],
  execution: "each",
  readBackTargetId: null,
  sources: [],
  sinks: [],
  arrangement: "together",
  texts: {},
  criteria: [],
  labels: "",
  reference: "",
};

const EXECUTIONS: readonly Execution[] = ["each", "together", "scale_out"];
const QUESTIONS = KINDS.map(({ name }) => name);
const PURPOSE_NAMES = PURPOSES.map(({ name }) => name);
const ARRANGEMENTS: readonly Arrangement[] = ["together", "scale_out", "mesh"];

/** The parameters of a link that are not those of tests. */
export const OWN = [
  "name",
  "question",
  "profile",
  "purpose",
  "tests",
  "targets",
  "execution",
  "read_back_at",
  "sources",
  "sinks",
  "arrangement",
  "criteria",
  "stops",
  "labels",
  "reference",
] as const;

/** The form as a link. */
export function linkOf(draft: Draft): LinkTexts {
  const criteria = givenCriteria(draft);
  const stops = criteria.flatMap(({ stop }, index) => (stop ? index + 1 : []));
  const own: Record<(typeof OWN)[number], string> = {
    name: draft.name.trim(),
    question: draft.question ?? "",
    profile: draft.profileId === null ? "" : String(draft.profileId),
    purpose: draft.purpose ?? "",
    tests: draft.tests.join(","),
    targets: draft.targetIds.join(","),
    execution: draft.execution === "each" ? "" : draft.execution,
    read_back_at: draft.readBackTargetId === null ? "" : String(draft.readBackTargetId),
    sources: draft.sources.map(endKey).join(","),
    sinks: draft.arrangement === "mesh" ? "" : draft.sinks.map(endKey).join(","),
    arrangement: draft.arrangement === "together" ? "" : draft.arrangement,
    criteria: criteria.map(({ criterion }) => criterion.trim()).join("\n"),
    stops: stops.join(","),
    labels: draft.labels.trim(),
    reference: draft.reference.trim(),
  };
  return withText({ ...own, ...draft.texts });
}

const withText = (texts: LinkTexts): LinkTexts =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text?.trim()));

/** The form that a link opens; what is impossible in it stays out, and is remarked on. */
export function readLink(link: LinkTexts): { draft: Draft; remarks: Remarks } {
  const remarks: Remarks = {};
  const entries = (name: string) =>
    (link[name] ?? "")
      .split(",")
      .map((one) => one.trim())
      .filter(Boolean);
  const say = (field: string, name: string, wrong: string, wanted: string) => {
    remarks[field] ??= `The link has ${name}=${wrong}, which is not ${wanted}.`;
  };
  const ids = (name: string, field: string, wanted: string): number[] => [
    ...new Set(
      entries(name).flatMap((text) => {
        const id = numberOf(text);
        if (id === null) say(field, name, text, wanted);
        return id ?? [];
      }),
    ),
  ];
  const word = <T extends string, U extends T | null>(
    name: string,
    known: readonly T[],
    usual: U,
  ): T | U => {
    const text = link[name]?.trim();
    if (!text) return usual;
    const found = known.find((one) => one === text);
    if (!found) say(name, name, text, `one of ${known.join(", ")}`);
    return found ?? usual;
  };
  const ends = (name: "sources" | "sinks"): End[] =>
    entries(name).flatMap((text) => {
      const end = endOf(text);
      if (!end) say(name, name, text, "an end such as target-3 or host-5");
      return end ?? [];
    });
  const one = (found: number[], name: string, field: string, what: string): number | null => {
    const [id, ...others] = found;
    if (others.length > 0) say(field, name, link[name] ?? "", what);
    return id ?? null;
  };
  const arrangement = word("arrangement", ARRANGEMENTS, EMPTY.arrangement);
  const sources = ends("sources");
  const draft: Draft = {
    name: link.name ?? "",
    question: word("question", QUESTIONS, null),
    profileId: one(
      ids("profile", "profile_id", "the id of a profile"),
      "profile",
      "profile_id",
      "the id of one profile",
    ),
    purpose: word("purpose", PURPOSE_NAMES, null),
    tests: ids("tests", "tests", "the number of a test"),
    targetIds: ids("targets", "target_ids", "the id of a target"),
    execution: word("execution", EXECUTIONS, EMPTY.execution),
    readBackTargetId: one(
      ids("read_back_at", "read_back_target_id", "the id of a target"),
      "read_back_at",
      "read_back_target_id",
      "the id of one target",
    ),
    sources,
    // a mesh has its ends at both sides
    sinks: arrangement === "mesh" ? sources : ends("sinks"),
    arrangement,
    texts: textsOfLink(link),
    criteria: criteriaOf(
      link.criteria ?? "",
      ids("stops", "criteria", "the number of a criterion"),
    ),
    labels: link.labels ?? "",
    reference: link.reference ?? "",
  };
  return { draft, remarks };
}

const numberOf = (text: string): number | null => {
  const value = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0 ? value : null;
};

function endOf(text: string): End | null {
  const [, what, number = ""] = /^(target|host)-(\d+)$/.exec(text) ?? [];
  const id = numberOf(number);
  if (id === null) return null;
  return what === "target" ? { target_id: id } : { host_id: id };
}

const textsOfLink = (link: LinkTexts): Texts => {
  const own = new Set<string>(OWN);
  return withText(Object.fromEntries(Object.entries(link).filter(([name]) => !own.has(name))));
};

const criteriaOf = (lines: string, stops: number[]): Criterion[] =>
  lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((criterion, index) => ({ criterion, stop: stops.includes(index + 1) }));

/** A request as the form has it; `kinds` are those of its tests, `tests` the profile's. */
export function draftOfPlan(plan: Plan, kinds: readonly TestKind[], tests: readonly Test[]): Draft {
  const { arrangement = "together", scale_out: scales = false } = plan;
  const sources = (plan.sources ?? []).flatMap(endOfPlan);
  const isTransfer = sources.length > 0;
  const isMesh = arrangement === "mesh";
  const chosen = plan.tests?.map(({ kind, title }) =>
    tests.findIndex((test) => test.kind === kind && test.title === title),
  );
  return {
    ...EMPTY,
    name: plan.name ?? "",
    profileId: plan.profile_id ?? null,
    tests: chosen?.filter((index) => index >= 0).map((index) => index + 1) ?? [],
    targetIds: plan.target_ids ?? [],
    execution: plan.together ? "together" : scales && !isTransfer ? "scale_out" : "each",
    readBackTargetId: plan.read_back_target_id ?? null,
    sources,
    sinks: isMesh ? sources : (plan.sinks ?? []).flatMap(endOfPlan),
    arrangement: isMesh ? "mesh" : scales && isTransfer ? "scale_out" : "together",
    texts: textsOfOverrides(plan.overrides ?? {}, kinds),
    criteria: plan.criteria ?? [],
    ...labelValues({ labels: plan.labels ?? {}, reference: plan.reference ?? null }),
  };
}

const endOfPlan = ({ target_id, host_id }: NonNullable<Plan["sources"]>[number]): End | never[] => {
  if (target_id != null) return { target_id };
  return host_id == null ? [] : { host_id };
};

/** Values of a request as the text of their fields. */
function textsOfOverrides(overrides: object, kinds: readonly TestKind[]): Texts {
  const parameters = parametersIn(groupsOf(kinds));
  return Object.fromEntries(
    Object.entries(overrides)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => {
        const parameter = parameters.find((one) => one.name === name);
        const test = { [name]: value } as unknown as Test;
        return [name, parameter ? parameter.text(test) : String(value)];
      }),
  );
}

/** The names of a form's texts that are no parameter of its tests, in their order. */
export const strayNames = (texts: Texts, known: readonly { name: string }[]): string[] =>
  Object.entries(texts)
    .filter(([name, text]) => text?.trim() && !known.some((one) => one.name === name))
    .map(([name]) => name);

/**
 * The launch form of a request that launches a campaign, or one of its runs, again; null if the
 * campaign has tests that are not those of its profile. The request for a run has tests with all
 * values: the form has the profile's, with what the campaign's launch changed.
 */
export function editable(
  plan: Plan,
  campaign: Pick<Campaign, "parameters">,
  profile: Pick<Profile, "body">,
): Draft | null {
  const { tests } = profile.body;
  const given = (campaign.parameters.tests ?? []) as Test[];
  if (!given.every((one) => tests.some((test) => isSameTest(one, test)))) return null;
  const kinds = kindsOf(plan.tests ?? tests);
  const known = new Set(parametersIn(groupsOf(kinds)).map(({ name }) => name));
  const changed = (campaign.parameters.overrides ?? {}) as Record<string, unknown>;
  const overrides = plan.tests
    ? Object.fromEntries(Object.entries(changed).filter(([name]) => known.has(name)))
    : changed;
  return draftOfPlan({ ...plan, overrides: overrides as Plan["overrides"] }, kinds, tests);
}

/** Whether two tests have the same values; null stands for no value. */
function isSameTest(one: Test, other: Test): boolean {
  const values = (test: Test) =>
    JSON.stringify(
      Object.entries(test)
        .filter(([, value]) => value !== null)
        .sort(([a], [b]) => a.localeCompare(b)),
    );
  return values(one) === values(other);
}

const route = getRouteApi("/launch");

/** How long input must pause before the page's address follows. */
const PAUSE_MS = 300;

/** The fields of the form whose change answers a remark on the link. */
const ANSWERS: Record<string, readonly (keyof Draft)[]> = {
  profile_id: ["profileId"],
  tests: ["tests", "profileId"],
  target_ids: ["targetIds"],
  question: ["question"],
  purpose: ["purpose"],
  execution: ["execution"],
  read_back_target_id: ["readBackTargetId"],
  sources: ["sources"],
  sinks: ["sinks"],
  arrangement: ["arrangement"],
  criteria: ["criteria"],
};

/**
 * The form, filled from the page's address, which then follows it: what is copied from the address
 * bar always opens this form. `remarks` say what is impossible in the link, until it is changed;
 * `opened` is what the first link selected.
 */
export function useDraftLink(onChange: () => void) {
  const link = route.useSearch() as LinkTexts;
  const navigate = useNavigate();
  const [opened] = useState(() => readLink(link));
  const [remarks, setRemarks] = useState<Remarks>(opened.remarks);
  const form = useForm<Draft>({
    initialValues: opened.draft,
    onValuesChange: (now, before) => {
      setRemarks((old) => unanswered(old, before, now));
      onChange();
    },
  });

  const { setValues } = form;
  const current = JSON.stringify(linkOf(form.values));
  const [settled] = useDebouncedValue(current, PAUSE_MS);
  const written = useRef(current);
  // the shown link, and those that navigation has yet to reach: it may lag behind the input
  const ownLinks = useRef([JSON.stringify(link)]);
  useEffect(() => {
    if (settled === written.current) return;
    written.current = settled;
    ownLinks.current.push(settled);
    void navigate({
      to: "/launch",
      search: JSON.parse(settled) as object,
      replace: true,
      resetScroll: false,
    });
  }, [settled, navigate]);
  useEffect(() => {
    const shown = JSON.stringify(link);
    const reached = ownLinks.current.indexOf(shown);
    ownLinks.current = reached < 0 ? [shown] : ownLinks.current.slice(reached);
    if (reached >= 0) return;
    // a link to another form was followed on this page
    const next = readLink(link);
    written.current = JSON.stringify(linkOf(next.draft));
    setValues(next.draft);
    setRemarks(next.remarks);
  }, [link, setValues]);
  return { form, remarks, opened: opened.draft };
}

/** The form copies its values at each change. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The remarks on fields that have not been changed. */
function unanswered(remarks: Remarks, before: Draft, now: Draft): Remarks {
  const left = Object.entries(remarks).filter(([field]) =>
    (ANSWERS[field] ?? []).every((name) => isSame(before[name], now[name])),
  );
  return left.length === Object.keys(remarks).length ? remarks : Object.fromEntries(left);
}
