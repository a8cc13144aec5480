import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { parametersOfKind } from "@/features/parameters/declared";
import { LiveCommits } from "./LiveCommits";

/** Records appended to a file, each synced before the next. */
export const commits: TestKind<"commits"> = {
  name: "commits",
  label: "Commits",
  question: "How many commits per second?",
  answer: "Small writes, each synchronized before the next.",
  ...parametersOfKind("commits"),
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
  Live: LiveCommits,
  Result: lazyRouteComponent(() => import("./CommitsResult"), "CommitsResult"),
  prefetch: async () => undefined,
  evidence: () => ({}),
  downloads: { csv: "one row per repeat", json: "all repeats" },
  Comparison: lazyRouteComponent(() => import("./CommitsComparison"), "CommitsComparison"),
};
