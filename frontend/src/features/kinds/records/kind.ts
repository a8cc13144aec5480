import { lazyRouteComponent } from "@tanstack/react-router";
import { formatBlock } from "@/components/quantities";
import type { TestKind } from "@/features/kinds/kind";
import { headlineWords, lengthWords, withoutFigure } from "./headline";
import { GROUPS } from "./parameters";

/** Records that senders stream into one file, or into memory as the control. */
export const records: TestKind<"records"> = {
  name: "records",
  label: "Records",
  transfers: { severalSources: true, severalSinks: false, arrangements: ["together", "scale_out"] },
  fixed: [],
  groups: GROUPS,
  initial: {
    kind: "records",
    title: "Records",
    record_bytes: [10, 1024, 4096],
    sink: "as_chosen",
    format: "raw",
    batch_records: 10_000,
    batch_ms: 10_000,
    acknowledge: "written",
    in_flight_batches: 16,
    sync_ms: 0,
    sync_bytes: 0,
    rate_records_per_s: 0,
    warm_up_ms: 20_000,
    window_ms: 100_000,
    socket_buffer_bytes: 0,
    congestion_control: null,
    family: "any",
    port: 0,
    last_port: 0,
    sink_address: null,
    sync_timeout_ms: 600_000,
    repeats: 3,
    sample_ms: 1000,
    order: "shuffled",
  },
  brief: ({ title, record_bytes }) =>
    `${title}: ${(record_bytes ?? []).map(formatBlock).join(", ")}`,
  trialWords: ({ record_bytes }) => lengthWords(record_bytes),
  headline: headlineWords,
  headlineRest: withoutFigure,
  Live: lazyRouteComponent(() => import("./LiveRecords"), "LiveRecords"),
  Result: lazyRouteComponent(() => import("./result/RecordsResult"), "RecordsResult"),
  prefetch: async (...what) => (await import("./result/recordSamples")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial and sender", json: "all record lengths and trials" },
  Comparison: lazyRouteComponent(() => import("./compare/RecordsComparison"), "RecordsComparison"),
};
