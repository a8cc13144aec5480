import { lazyRouteComponent } from "@tanstack/react-router";
import type { RunParameters } from "@/api/shapes";
import { formatBlock } from "@/components/quantities";
import type { TestKind } from "@/features/kinds/kind";
import { defaultsOf, parametersOfKind } from "@/features/parameters/declared";
import { lengthWords, type RecordsTest } from "./records";

/** Where a run's records went, whatever its test says. */
function measuredSink(parameters: RunParameters): string {
  const { sink } = parameters as { sink?: string };
  return sink === "memory" ? "Memory" : "File";
}

/** Records that senders stream into one file, or into memory as the control. */
export const records: TestKind<"records"> = {
  name: "records",
  label: "Records",
  question: "How many records arrive?",
  answer: "Records per second, in batches, until they are stored.",
  ...parametersOfKind("records", { measured: { sink: measuredSink } }),
  transfers: { severalSources: true, severalSinks: false, arrangements: ["together", "scale_out"] },
  initial: {
    ...defaultsOf("records"),
    kind: "records",
    title: "Records",
  } as RecordsTest,
  brief: ({ title, record_bytes }) =>
    `${title}: ${(record_bytes ?? []).map(formatBlock).join(", ")}`,
  trialWords: ({ record_bytes }) => lengthWords(record_bytes),
  Live: lazyRouteComponent(() => import("./LiveRecords"), "LiveRecords"),
  Result: lazyRouteComponent(() => import("./result/RecordsResult"), "RecordsResult"),
  prefetch: async (...what) => (await import("./result/shown")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial and sender", json: "all record lengths and trials" },
  Comparison: lazyRouteComponent(() => import("./compare/RecordsComparison"), "RecordsComparison"),
};
