import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import type { Parameter } from "@/features/parameters/parameters";
import { parseCount } from "@/features/parameters/parse";
import { LiveCommits } from "./LiveCommits";
import type { CommitsTest } from "./shapes";

const RECORD: Parameter<CommitsTest> = {
  name: "record",
  label: "Record size",
  help: "Bytes of each commit.",
  text: (test) => String(test.record),
  parse: (text) => parseCount(text, 512, 2 ** 20),
};

const RECORDS: Parameter<CommitsTest> = {
  name: "records",
  label: "Records",
  help: "Commits per trial.",
  text: (test) => String(test.records),
  parse: (text) => parseCount(text, 1, 1_000_000),
};

/** Records appended to a file, each synced before the next. */
export const commits: TestKind<"commits"> = {
  name: "commits",
  label: "Commits",
  fixed: [],
  groups: [{ title: "Commits", parameters: [RECORD, RECORDS] }],
  initial: {
    kind: "commits",
    title: "Commits",
    record: 4096,
    records: 1000,
    repeats: 3,
    timeout_ms: 60_000,
    sample_ms: 1000,
  },
  brief: ({ title, records }) => `${title} ${records}`,
  trialWords: ({ records, record }) => `${records} records of ${record} B`,
  headline: ({ commits_per_s }) => `${Math.round(commits_per_s)} commits/s`,
  headlineRest: ({ record }) => `In records of ${record} B`,
  Live: LiveCommits,
  Result: lazyRouteComponent(() => import("./CommitsResult"), "CommitsResult"),
  prefetch: async () => undefined,
  evidence: () => ({}),
  downloads: { csv: "one row per repeat", json: "all repeats" },
  Comparison: lazyRouteComponent(() => import("./CommitsComparison"), "CommitsComparison"),
};
