import { lazyRouteComponent } from "@tanstack/react-router";
import type { TestKind } from "@/features/kinds/kind";
import { fileSizeText } from "@/features/parameters/parse";
import { headlineWords, trialWords, withoutFigure } from "./headline";
import { LiveSustained } from "./LiveSustained";
import { GROUPS, OPERATION } from "./parameters";

/** Long writes or reads, paced or not. */
export const sustained: TestKind<"sustained"> = {
  name: "sustained",
  label: "Sustained",
  fixed: [OPERATION],
  groups: GROUPS,
  initial: {
    kind: "sustained",
    operation: "write",
    title: "Sustained write",
    length: "2 * ram",
    ramp_ms: 0,
    block: [800_000],
    streams: 1,
    file_mode: "one",
    file_size: 10_000_000_000,
    ring_files: 2,
    cache: "direct_if_real",
    pace: "none",
    rate_bytes_per_s: [125_000_000],
    burst_blocks: [1],
    gap_ns: 40_000_000,
    quantum_ns: 0,
    read_pace: "same",
    read_rate_bytes_per_s: 125_000_000,
    mark_bytes: 100_000_000,
    sync_bytes: 0,
    sync_ms: 0,
    fill_percent: 0,
    purge: "none",
    precondition_passes: 0,
    idle_ms: [0],
    prepare_timeout_ms: 86_400_000,
    priority: "normal",
    io_priority: "default",
    read_back: "none",
    peak_limit_ns: 100_000_000,
    timeout_ms: 172_800_000,
    sync_timeout_ms: 3_600_000,
    repeats: 1,
    sample_ms: 1000,
    order: "shuffled",
  },
  brief: ({ title, length }) => `${title}: ${fileSizeText(length)}`,
  trialWords,
  headline: headlineWords,
  headlineRest: withoutFigure,
  Live: LiveSustained,
  Result: lazyRouteComponent(() => import("./result/SustainedResult"), "SustainedResult"),
  prefetch: async (...what) => (await import("./result/trialSeries")).prefetchTrial(...what),
  evidence: ({ trial_id }): Record<string, string> =>
    trial_id == null ? {} : { trial: String(trial_id) },
  downloads: { csv: "one row per trial", json: "all trials, buffers and slowest operations" },
  Comparison: lazyRouteComponent(
    () => import("./compare/SustainedComparison"),
    "SustainedComparison",
  ),
};
