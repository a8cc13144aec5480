import { describe, expect, it } from "vitest";
import type { Plan, Test } from "@/api/shapes";
import type { TestKind } from "@/features/kinds/kind";
import { groupsOf, KINDS, kindsOf, parametersOf } from "@/features/kinds/registry";
import { parametersIn, readTexts } from "@/features/parameters/parameters";
import { draftOfPlan, EMPTY, linkOf, OWN, readLink, strayNames } from "./link";
import { type Draft, needsOf, planOf } from "./plan";

const draft: Draft = {
  name: "vault, after & before = 100%",
  question: "path",
  profileId: 2,
  purpose: "ingest",
  tests: [1, 3],
  targetIds: [7, 3],
  execution: "scale_out",
  readBackTargetId: 9,
  sources: [{ target_id: 3 }, { host_id: 5 }],
  sinks: [{ host_id: 6 }],
  arrangement: "scale_out",
  texts: { block: "64 KiB, 1 MiB", file_size: "min(1 GB, free / 10)", cache: "direct" },
  criteria: [
    { criterion: "durable.mean >= 1 GB/s", stop: false },
    { criterion: "latency.p99(block=64 KiB, threads=1) <= 5 ms", stop: true },
  ],
  labels: "site=fra\nnote=one, two & three",
  reference: "CHG-1071",
};

describe("a link to the launch form", () => {
  it("opens the same form", () => {
    expect(readLink(linkOf(draft))).toEqual({ draft, remarks: {} });
  });
  it("is empty for an empty form", () => {
    expect(linkOf(EMPTY)).toEqual({});
    expect(readLink({})).toEqual({ draft: EMPTY, remarks: {} });
  });
  it("has the ends of a mesh once", () => {
    const ends = [{ host_id: 5 }, { host_id: 6 }];
    const mesh: Draft = { ...EMPTY, sources: ends, sinks: ends, arrangement: "mesh" };
    expect(linkOf(mesh)).toEqual({ sources: "host-5,host-6", arrangement: "mesh" });
    expect(readLink(linkOf(mesh)).draft).toEqual(mesh);
  });
  it("keeps every parameter of every kind", () => {
    for (const kind of KINDS) {
      const texts = Object.fromEntries(
        parametersOf(kind)
          .map((parameter) => [parameter.name, parameter.text(kind.initial)] as const)
          .filter(([, text]) => text.trim()),
      );
      expect(readLink(linkOf({ ...EMPTY, texts })).draft.texts).toEqual(texts);
    }
  });
  it("has no parameter of a test that could be taken for a field of the form", () => {
    const names = KINDS.flatMap(parametersOf).map(({ name }) => name);
    expect(names.filter((name) => (OWN as readonly string[]).includes(name))).toEqual([]);
  });
  it("says what is impossible, by field, and keeps the rest", () => {
    const { draft: found, remarks } = readLink({
      question: "why",
      purpose: "fun",
      profile: "first-look",
      targets: "3,x,7",
      tests: "0",
      execution: "sideways",
      read_back_at: "1,2",
      sources: "host-5,disk-1",
      sinks: "target-0",
      arrangement: "star",
      stops: "one",
    });
    expect(found).toMatchObject({
      question: null,
      profileId: null,
      targetIds: [3, 7],
      execution: "each",
      sources: [{ host_id: 5 }],
      sinks: [],
    });
    expect(Object.keys(remarks).sort()).toEqual([
      "arrangement",
      "criteria",
      "execution",
      "profile_id",
      "purpose",
      "question",
      "read_back_target_id",
      "sinks",
      "sources",
      "target_ids",
      "tests",
    ]);
    expect(remarks.target_ids).toBe("The link has targets=x, which is not the id of a target.");
    expect(remarks.execution).toBe(
      "The link has execution=sideways, which is not one of each, together, scale_out.",
    );
  });
  it("keeps parameters that no test has, for the page to name them", () => {
    const { texts } = readLink({ profile: "2", blok: "4 KiB", block: "4 KiB", streams: "2" }).draft;
    const matrix = parametersIn(groupsOf(KINDS.filter(({ name }) => name === "matrix")));
    expect(strayNames(texts, matrix)).toEqual(["blok", "streams"]);
    expect(strayNames({ blok: " " }, matrix)).toEqual([]);
  });
});

/** A request of one kind's tests, through the form and its link, and back. */
function roundTrip(plan: Plan, kinds: TestKind[], tests: Test[]): Plan | null {
  const form = readLink(linkOf(draftOfPlan(plan, kinds, tests))).draft;
  return planOf(form, parametersIn(groupsOf(kinds)), needsOf(tests));
}

describe("a request in the launch form", () => {
  const common = { profile_id: 2, together: false, scale_out: false, overrides: {} };
  it.each(KINDS.map((kind) => [kind.name, kind] as const))(
    "of %s tests comes back with every override",
    (_, kind) => {
      const tests = [kind.initial];
      const parameters = parametersIn(groupsOf([kind])).filter(({ fills }) => !fills);
      const texts = Object.fromEntries(
        parameters.map((one) => [one.name, one.text(kind.initial)] as const),
      );
      // null stands for "automatic", as does the absence of a value
      const overrides = Object.fromEntries(
        Object.entries(readTexts(parameters, texts).values).filter(([, value]) => value !== null),
      ) as Plan["overrides"];
      const where = kind.transfers
        ? { target_ids: [], sources: [{ target_id: 3 }], sinks: [{ host_id: 5 }] }
        : { target_ids: [3] };
      const plan: Plan = { ...common, ...where, arrangement: "together", name: "Again", overrides };
      expect(Object.keys(overrides ?? {}).length).toBeGreaterThan(4);
      expect(roundTrip(plan, [kind], tests)).toEqual(plan);
    },
  );
  const matrix = KINDS.filter(({ name }) => name === "matrix");
  const path = KINDS.filter(({ name }) => name === "path");
  const initial = (kinds: TestKind[]) => kinds.map((kind) => kind.initial);
  it.each<Partial<Plan>>([{ together: true }, { scale_out: true }, { read_back_target_id: 9 }])(
    "keeps how targets run: %j",
    (how) => {
      const plan: Plan = { ...common, target_ids: [3, 7], arrangement: "together", ...how };
      expect(roundTrip(plan, matrix, initial(matrix))).toEqual(plan);
    },
  );
  it("keeps how transfers run", () => {
    const ends = [{ target_id: 3 }, { target_id: 7 }];
    const pairs = { ...common, target_ids: [], sources: ends, sinks: [{ host_id: 5 }] };
    const scaled: Plan = { ...pairs, arrangement: "together", scale_out: true };
    expect(roundTrip(scaled, path, initial(path))).toEqual(scaled);
    const mesh: Plan = { ...common, target_ids: [], sources: ends, arrangement: "mesh" };
    // in a form, a mesh has its ends at both sides
    expect(roundTrip(mesh, path, initial(path))).toEqual({ ...mesh, sinks: ends });
  });
  it("keeps its labels and its external reference", () => {
    const organized = { labels: { site: "fra", note: "a=b, c" }, reference: "CHG-1071" };
    const where = { target_ids: [3], arrangement: "together" as const };
    const plan: Plan = { ...common, ...where, ...organized };
    expect(roundTrip(plan, matrix, initial(matrix))).toEqual(plan);
  });
  it("is not sent with labels that cannot be read", () => {
    const form = { ...EMPTY, profileId: 2, targetIds: [3], labels: "site" };
    expect(planOf(form, [], needsOf(initial(matrix)))).toBeNull();
  });
  it("selects its tests among those of the profile", () => {
    const [first] = initial(matrix);
    if (!first) throw new Error("there is no matrix kind");
    const tests: Test[] = [first, { ...first, title: "Second" }];
    const selected = { target_ids: [3], tests: tests.slice(1) };
    const plan: Plan = { ...common, ...selected, arrangement: "together" };
    expect(draftOfPlan(plan, kindsOf(tests), tests).tests).toEqual([2]);
  });
});
